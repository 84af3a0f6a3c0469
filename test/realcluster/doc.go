// Package realcluster starts a Kubernetes cluster of real programs for tests: etcd, kube-apiserver,
// kube-controller-manager, kube-scheduler, kube-proxy, CoreDNS, and two nodes, each a kubelet with
// containerd and runc. `make test-cluster` builds the programs and the image of a release, and runs
// the tests. No registry and no internet is involved: images are imported from archives.
//
// A test binary has namespaces of its own (package isolation): the kernel ends its processes, and
// removes its mounts and its network, with the first of its processes, however that ends. Both nodes
// share them, and differ by name, address and directory.
//
// It is a module of its own, because its tests need root and take minutes, and users of cosi-emu
// need none of its requirements.
package realcluster
