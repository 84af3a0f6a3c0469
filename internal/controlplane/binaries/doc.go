// Package binaries finds the programs of a control plane: etcd, kube-apiserver and
// kube-controller-manager. They are too large to ship with the emulator, and no Go package has
// them. Find searches, in this order:
//
//  1. a directory that the user names, or KUBEBUILDER_ASSETS;
//  2. the user's cache, which the next two fill;
//  3. the release of envtest and, for kube-controller-manager, which that
//     release lacks, the release of Kubernetes, with verified checksums;
//  4. the Go module proxy, from whose sources the local go command builds them.
//
// Every program is checked before its use. Programs for another platform, partial files and altered
// files are rejected.
package binaries
