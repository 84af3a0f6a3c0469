// Package v1alpha1 contains the five kinds of the Container Object Storage Interface, API group
// objectstorage.k8s.io, in the version that most deployments run: Bucket, BucketClaim, BucketClass,
// BucketAccess and BucketAccessClass.
//
// Fields, names and required fields follow the CustomResourceDefinitions of COSI v0.2. As there,
// the API server does not check strings, and the fields of the classes are not below spec. The
// kinds of v1alpha2 have the same names, so a cluster serves the kinds of one version only.
//
// +kubebuilder:object:generate=true
// +groupName=objectstorage.k8s.io
package v1alpha1
