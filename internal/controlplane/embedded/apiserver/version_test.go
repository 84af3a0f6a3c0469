package apiserver

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries"
)

// TestVersion: the programs and the libraries are of one minor version of Kubernetes, so that
// both control planes are the same.
func TestVersion(t *testing.T) {
	libraries, programs := effectiveVersion().BinaryVersion(), version.MustParseSemantic(binaries.KubernetesVersion)
	if programs.Major() != libraries.Major() || programs.Minor() != libraries.Minor() {
		t.Errorf("%s is of Kubernetes v%d.%d, and the programs are of v%s; update hack/controlplane/go.mod, or the libraries",
			library, libraries.Major(), libraries.Minor(), programs)
	}
}
