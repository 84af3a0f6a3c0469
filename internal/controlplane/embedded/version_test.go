package embedded_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries"
)

// TestVersion: the programs and the libraries are of one minor version of Kubernetes, so that
// both control planes are the same.
func TestVersion(t *testing.T) {
	info, err := client(t, start(t, controlplane.Options{})).Discovery().ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	libraries, programs := version.MustParseGeneric(info.GitVersion), version.MustParseSemantic(binaries.KubernetesVersion)
	if programs.Major() != libraries.Major() || programs.Minor() != libraries.Minor() {
		t.Errorf("the libraries are of Kubernetes %s, and the programs are of v%s; update hack/controlplane/go.mod, or the libraries",
			info.GitVersion, programs)
	}
}
