package binaries

import "path/filepath"

// KubernetesVersion is the Kubernetes release of the control plane, built or
// downloaded. It equals the version of k8s.io/kubernetes in hack/controlplane/go.mod.
const KubernetesVersion = "v1.37.0"

// The programs of a control plane.
const (
	Etcd              = "etcd"
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller-manager"
)

// required are the programs that every control plane needs.
var required = []string{APIServer, Etcd}

// Set has the programs of a control plane.
type Set struct {
	// Etcd and APIServer are the absolute paths of etcd and kube-apiserver.
	Etcd, APIServer string
	// ControllerManager is the absolute path of kube-controller-manager, or empty if it is
	// not available.
	ControllerManager string
	// Missing is the reason for an empty ControllerManager, for the user.
	Missing string
	// Version is the Kubernetes release of the API server, such as "v1.37.0"; empty for programs in
	// a directory that the user named.
	Version string
	// Source describes the origin of the programs, for the user.
	Source string
}

func setIn(dir string) Set {
	return Set{
		Etcd:              filepath.Join(dir, Etcd),
		APIServer:         filepath.Join(dir, APIServer),
		ControllerManager: filepath.Join(dir, ControllerManager),
	}
}
