// Package v1alpha2 holds the five kinds of the Container Object Storage
// Interface, API group objectstorage.k8s.io, as KEP-1979 defines them: Bucket,
// BucketClaim, BucketClass, BucketAccess and BucketAccessClass.
//
// The field comments are what `kubectl explain` prints, so they address the
// people who write the manifests. Validation lives in the markers beside the
// fields and ends up in the CustomResourceDefinitions of package crds.
//
// Besides the conditions of the KEP every status carries readyToUse, which is
// true exactly while the Provisioned condition is True and the object is not
// being deleted: the KEP's control flows and its monitoring section name it.
//
// +kubebuilder:object:generate=true
// +groupName=objectstorage.k8s.io
package v1alpha2
