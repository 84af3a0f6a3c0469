// Package secret converts a driver's bucket info and credentials into the keys and values for
// applications. The KEP names the keys in its section "BucketAccess Secret data". The package has
// all names, and the rules for required values; it is independent of Kubernetes objects.
//
// Errors of this package name fields, never their values.
package secret
