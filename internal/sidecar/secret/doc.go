// Package secret converts a driver's bucket info and credentials into the keys and
// values that applications read. The KEP names the keys in its section "BucketAccess
// Secret data". The package has the names, and the rules for required values, in one
// place; it does not know Kubernetes objects.
//
// Errors of this package name fields, never their values.
package secret
