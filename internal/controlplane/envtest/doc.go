// Package envtest runs the programs of a Kubernetes control plane: etcd, kube-apiserver, and a
// kube-controller-manager with the controllers that COSI and its users need. The first two are
// started by the package of the same name in controller-runtime.
//
// All components listen on 127.0.0.1 and store their files in one directory. A watchdog, a shell
// that reads from a pipe, stops them when the process that called Start ends in any way.
package envtest
