package deploy

import "embed"

//go:embed upstream
var upstream embed.FS

// UpstreamRBAC returns the rights of the upstream controller and of the upstream sidecar of a version,
// which is a directory of deploy/upstream. They require the Namespace of RBAC.
func UpstreamRBAC(version string) (controller, sidecar Manifest, err error) {
	if controller, err = read(upstream, "upstream/"+version+"/controller.yaml"); err != nil {
		return controller, sidecar, err
	}
	sidecar, err = read(upstream, "upstream/"+version+"/sidecar.yaml")
	return controller, sidecar, err
}
