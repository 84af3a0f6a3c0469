// Package binaries finds the programs that a control plane consists of: etcd,
// kube-apiserver and kube-controller-manager. They are too big to be shipped
// with the emulator and are not part of any Go package that could be linked
// into it, so on a new machine they have to come from somewhere. Find looks, in
// this order, in
//
//  1. a directory that the user names, or KUBEBUILDER_ASSETS;
//  2. the user's cache, which the next two fill;
//  3. the release of envtest and, for kube-controller-manager, which that
//     release lacks, the release of Kubernetes, with verified checksums;
//  4. the Go module proxy, from whose sources the local go command builds them.
//
// What is found is checked before it is used: a program for another platform, a
// half-written file and a file that was altered are told apart from a good one.
package binaries
