// Package secret turns what a driver says of buckets and credentials into the
// keys and values that applications read, as the KEP's section "BucketAccess
// Secret data" names them. It exists so that the names, and the rules of what
// must be there, stand in one place; it knows nothing of Kubernetes objects.
//
// The errors of this package name fields, never their values.
package secret
