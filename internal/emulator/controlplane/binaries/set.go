package binaries

import "path/filepath"

// KubernetesVersion is the release of Kubernetes whose control plane is built,
// and downloaded where it is published. It equals the version of
// k8s.io/kubernetes in hack/controlplane/go.mod.
const KubernetesVersion = "v1.36.3"

// Names of the programs, which are also the names of their files.
const (
	Etcd              = "etcd"
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller-manager"
)

// required are the programs without which there is no control plane.
var required = []string{APIServer, Etcd}

// Set is a control plane's programs.
type Set struct {
	// Etcd and APIServer are the absolute paths of the programs etcd and
	// kube-apiserver.
	Etcd, APIServer string
	// ControllerManager is the absolute path of kube-controller-manager, or
	// empty where it could not be had.
	ControllerManager string
	// Missing says why ControllerManager is empty, in words for the user. It is
	// empty otherwise.
	Missing string
	// Version is the Kubernetes release of the API server, such as "v1.36.3". It
	// is empty for programs in a directory that the user named.
	Version string
	// Source says where the programs came from, in words for the user.
	Source string
}

// setIn returns the set whose files are in dir.
func setIn(dir string) Set {
	return Set{
		Etcd:              filepath.Join(dir, Etcd),
		APIServer:         filepath.Join(dir, APIServer),
		ControllerManager: filepath.Join(dir, ControllerManager),
	}
}
