// Package cluster is an existing Kubernetes cluster, for an emulator that runs COSI
// against it from outside: the user of its kubeconfig, whether another COSI runs
// there, and the objects that the emulator has created in it.
//
// A cluster is the user's. What the emulator makes there has a label with the
// emulator's name, from the first moment on, and nothing without that label is
// ever changed or removed. So an emulator that was killed knows again what is its
// own, and one that ends takes it along.
package cluster
