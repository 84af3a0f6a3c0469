// Package v1alpha1 holds the five kinds of the Container Object Storage Interface, API group
// objectstorage.k8s.io, in the version that most deployments run: Bucket, BucketClaim,
// BucketClass, BucketAccess and BucketAccessClass.
//
// The fields, their names and what is required follow the CustomResourceDefinitions of COSI
// v0.2. As there, strings are not checked by the API server, and the fields of the classes are
// not below spec. The kinds of v1alpha2 have the same names, so that a cluster has the kinds of
// one version only.
//
// +kubebuilder:object:generate=true
// +groupName=objectstorage.k8s.io
package v1alpha1
