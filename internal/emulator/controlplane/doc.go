// Package controlplane runs a Kubernetes control plane on this machine, for the
// emulator and for tests: etcd and kube-apiserver, started by envtest, and a
// kube-controller-manager with the three controllers without which an API server
// does not behave like a cluster: deleting a namespace would never finish, owner
// references would collect nothing, and there would be no default
// ServiceAccounts.
//
// Everything listens on 127.0.0.1 and keeps its files in one directory. Nothing
// outlives the process that called Start, however that process ends: a watchdog,
// a shell that holds one end of a pipe, notices it and ends what is left.
package controlplane
