// Package v1alpha2 contains the five kinds of the Container Object Storage Interface, API group
// objectstorage.k8s.io, as KEP-1979 defines them: Bucket, BucketClaim, BucketClass, BucketAccess
// and BucketAccessClass.
//
// `kubectl explain` prints the field comments, so they address the authors of manifests. The
// markers beside the fields become the validation in the CustomResourceDefinitions of package crds.
//
// Besides the conditions of the KEP every status has readyToUse, which is true exactly while the
// Provisioned condition is True and the object is not being deleted: the KEP's control flows and
// its monitoring section name it.
//
// +kubebuilder:object:generate=true
// +groupName=objectstorage.k8s.io
package v1alpha2
