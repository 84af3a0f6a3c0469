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
// Every program is checked before its use. Programs for another platform, partial
// files and altered files are rejected.
package binaries
