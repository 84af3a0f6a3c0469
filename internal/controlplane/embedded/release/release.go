// Package release tells the release of Kubernetes that the libraries of the embedded API server are of.
package release

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"strings"

	"k8s.io/apimachinery/pkg/version"
	"k8s.io/apiserver/pkg/util/compatibility"
	basecompatibility "k8s.io/component-base/compatibility"
)

// library is the module that determines the server's version: v0.N.P is Kubernetes v1.N.P.
const library = "k8s.io/apiserver"

// serverVersion is the version of the libraries, as /version returns it.
type serverVersion struct {
	basecompatibility.EffectiveVersion
}

// Version returns the version that the server reports.
func Version() string { return Effective().Info().GitVersion }

// Effective returns the version for the configuration of the server.
func Effective() basecompatibility.EffectiveVersion {
	return serverVersion{compatibility.DefaultBuildEffectiveVersion()}
}

// Info implements basecompatibility.EffectiveVersion.
func (v serverVersion) Info() *version.Info {
	info := v.EffectiveVersion.Info()
	info.GitVersion = cmp.Or(libraryVersion(), "v"+v.BinaryVersion().String()) + "+cosi-emu"
	info.GitCommit, info.GitTreeState, info.BuildDate = "", "", ""
	info.GoVersion, info.Compiler, info.Platform = runtime.Version(), runtime.Compiler, runtime.GOOS+"/"+runtime.GOARCH
	return info
}

// libraryVersion returns the release of Kubernetes that the libraries are of, or "" if the
// program does not know its modules.
func libraryVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, module := range info.Deps {
		if minor, ok := strings.CutPrefix(module.Version, "v0."); ok && module.Path == library {
			return "v1." + minor
		}
	}
	return ""
}
