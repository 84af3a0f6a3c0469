// Package deploy embeds the manifests by which the COSI controller and a
// sidecar run on a cluster, so that the emulator can hold its components to the
// same rules.
package deploy

import "embed"

// RBAC holds the files rbac/controller.yaml and rbac/sidecar.yaml: a
// ServiceAccount each in namespace cosi-system, and what it may do.
//
//go:embed rbac/*.yaml
var RBAC embed.FS

// Namespace is where the components' ServiceAccounts and Leases live.
const Namespace = "cosi-system"

// Names of the ServiceAccounts in Namespace.
const (
	ControllerServiceAccount = "cosi-controller"
	SidecarServiceAccount    = "cosi-sidecar"
)
