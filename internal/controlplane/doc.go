// Package controlplane is what a Kubernetes control plane on this machine is to the
// emulator and to tests. It has two implementations: package envtest runs the real
// programs, and package embedded runs an API server in this process. Package selection
// chooses.
//
// All components listen on 127.0.0.1 and store their files in one directory.
package controlplane
