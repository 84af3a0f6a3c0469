// Package registry stores the built-in kinds that the embedded API server serves: it has
// the validation, the preparation and the columns of each, on top of the generic registry
// of k8s.io/apiserver.
package registry
