// Package apiserver puts the embedded API server together: the custom resources of
// k8s.io/apiextensions-apiserver and the built-in kinds, behind one chain of filters.
package apiserver
