// Package deploy embeds the manifests with the rights of the COSI controller, of a
// sidecar, of users and of a driver, so that the emulator gives them the same rights as a cluster.
package deploy

import (
	"embed"
	"fmt"
)

//go:embed upstream rbac/namespace.yaml rbac/controller.yaml rbac/sidecar.yaml rbac/users.yaml rbac/v1alpha1/sidecar.yaml driver-rbac/driver.yaml node/namespace.yaml node/rbac.yaml node/csidriver.yaml
var manifests embed.FS

// Namespace is the namespace of the components, their ServiceAccounts and their Leases.
const Namespace = "cosi-system"

// Names of the ServiceAccounts in Namespace.
const (
	ControllerServiceAccount = "cosi-controller"
	SidecarServiceAccount    = "cosi-sidecar"
	DriverServiceAccount     = "cosi-driver"
)

// NodeNamespace is the namespace of the node adapter, and NodeServiceAccount its ServiceAccount.
const (
	NodeNamespace      = "cosi-node"
	NodeServiceAccount = "cosi-node"
)

// Manifest is a file of YAML documents.
type Manifest struct {
	// Name is the path of the file below deploy/.
	Name string
	// Data is its content, which the caller may change.
	Data []byte
}

// RBAC returns the files of deploy/rbac in an order in which they can be applied: the Namespace,
// then a ServiceAccount for the controller and one for sidecars, each with its roles and their
// bindings, then the additions to the roles of users.
func RBAC() ([]Manifest, error) { return readAll("namespace", "controller", "sidecar", "users") }

// RBACV1alpha1 returns the files of RBAC, and the additional rights of a sidecar of v1alpha1.
func RBACV1alpha1() ([]Manifest, error) {
	return readAll("namespace", "controller", "sidecar", "v1alpha1/sidecar", "users")
}

// UpstreamRBAC returns the rights of the upstream controller and of the upstream sidecar of a version,
// which is a directory of deploy/upstream. They require the Namespace of RBAC.
func UpstreamRBAC(version string) (controller, sidecar Manifest, err error) {
	if controller, err = read("upstream/" + version + "/controller.yaml"); err != nil {
		return controller, sidecar, err
	}
	sidecar, err = read("upstream/" + version + "/sidecar.yaml")
	return controller, sidecar, err
}

func readAll(files ...string) ([]Manifest, error) {
	var all []Manifest
	for _, file := range files {
		file, err := read("rbac/" + file + ".yaml")
		if err != nil {
			return nil, err
		}
		all = append(all, file)
	}
	return all, nil
}

// DriverRBAC returns the file of deploy/driver-rbac: a ServiceAccount for a driver that
// reads Secrets, ConfigMaps and Buckets. It requires the Namespace of RBAC.
func DriverRBAC() (Manifest, error) { return read("driver-rbac/driver.yaml") }

// NodeRBAC returns the files of deploy/node with the Namespace, the ServiceAccount and the rights of the node adapter.
func NodeRBAC() ([]Manifest, error) {
	namespace, err := read("node/namespace.yaml")
	if err != nil {
		return nil, err
	}
	rights, err := read("node/rbac.yaml")
	return []Manifest{namespace, rights}, err
}

// NodeDriver returns the file of deploy/node with the CSIDriver of the node adapter.
func NodeDriver() (Manifest, error) { return read("node/csidriver.yaml") }

func read(name string) (Manifest, error) {
	data, err := manifests.ReadFile(name)
	if err != nil {
		return Manifest{}, fmt.Errorf("embedded manifest: %w", err)
	}
	return Manifest{Name: name, Data: data}, nil
}
