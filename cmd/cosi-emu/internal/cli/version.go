package cli

import (
	"cmp"
	"runtime"
	"runtime/debug"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries"
)

// Versions has the versions of the program and its parts.
type Versions struct {
	Version    string `json:"version"`
	Revision   string `json:"revision,omitempty"`
	Go         string `json:"go"`
	Platform   string `json:"platform"`
	Kubernetes string `json:"kubernetes"`
	COSI       string `json:"cosi"`
}

// release is the version that 'make release' passes to the linker. The default is the module's
// version.
var release string

// ReadVersions returns the versions of this program.
func ReadVersions() Versions {
	info := Versions{
		Version:    "unknown",
		Go:         runtime.Version(),
		Platform:   runtime.GOOS + "/" + runtime.GOARCH,
		Kubernetes: binaries.KubernetesVersion,
		COSI:       v1alpha2.SchemeGroupVersion.String(),
	}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return info
	}
	info.Version = cmp.Or(release, build.Main.Version)
	for _, setting := range build.Settings {
		if setting.Key == "vcs.revision" {
			info.Revision = setting.Value
		}
	}
	return info
}
