// Package controlplane is the interface of a Kubernetes control plane on this machine. It has two
// implementations: package envtest runs the real programs, and package embedded runs an API server
// in this process. Package selection chooses one.
//
// All components listen on 127.0.0.1 and store their files in one directory.
package controlplane
