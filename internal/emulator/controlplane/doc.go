// Package controlplane runs a Kubernetes control plane on this machine, for the
// emulator and for tests. envtest starts etcd and kube-apiserver. A
// kube-controller-manager runs three controllers: for the deletion of namespaces, for
// garbage collection by owner references, and for default ServiceAccounts.
//
// All components listen on 127.0.0.1 and store their files in one directory. A
// watchdog, a shell that reads from a pipe, stops them when the process that called
// Start ends in any way.
package controlplane
