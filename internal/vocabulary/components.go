package vocabulary

import "strings"

// The components that an emulator may have.
const (
	Controller = "controller"
	Sidecar    = "sidecar"
	Driver     = "driver"
	Store      = "store"
	GCS        = "gcs"
	Azure      = "azure"
	// Bridge runs if the driver speaks COSI v1alpha1.
	Bridge = "bridge"
	// Node runs Pods.
	Node = "node"
	// NodeAdapter is the CSI driver of the node that runs Pods.
	NodeAdapter = "node-adapter"
)

// The processes of the control plane.
const (
	Etcd              = "etcd"
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller-manager"
)

// Administrator is the name, in the journal, of the user or program that interferes. It is no
// component.
const Administrator = "administrator"

// OtherHolder holds a Lease that a fault has taken from a component.
const OtherHolder = "other-holder"

// ReplicaSuffix ends the name of a component's second replica.
const ReplicaSuffix = ".2"

// Pod begins the names of the processes of Pods: pod/NAMESPACE/POD/CONTAINER.
const Pod = "pod/"

// Components returns the components that an emulator may have.
func Components() []string {
	return []string{Controller, Sidecar, Driver, Store, GCS, Azure, Bridge, Node, NodeAdapter}
}

// ControlPlane returns the processes of the control plane.
func ControlPlane() []string { return []string{APIServer, Etcd, ControllerManager} }

// IsSidecar reports whether a component is a sidecar.
func IsSidecar(component string) bool {
	return component == Sidecar || strings.HasPrefix(component, Sidecar+".")
}
