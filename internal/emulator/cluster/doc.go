// Package cluster is a Kubernetes cluster that somebody else runs, for an emulator
// that brings COSI to it from outside: who it is by its kubeconfig, whether
// another COSI is at work there, and what the emulator has put into it.
//
// A cluster is the user's. What the emulator makes there has a label with the
// emulator's name, from the first moment on, and nothing without that label is
// ever changed or removed. So an emulator that was killed knows again what is its
// own, and one that ends takes it along.
package cluster
