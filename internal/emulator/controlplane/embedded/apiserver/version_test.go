package apiserver

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane/binaries"
)

// TestVersion: the programs and the libraries are of one minor version of Kubernetes, so that
// both control planes are the same.
func TestVersion(t *testing.T) {
	version := effectiveVersion().BinaryVersion()
	libraries := fmt.Sprintf("v%d.%d.", version.Major(), version.Minor())
	if !strings.HasPrefix(binaries.KubernetesVersion, libraries) {
		t.Errorf("%s is of Kubernetes %s, and the programs are of %s; update hack/controlplane/go.mod, or the libraries",
			library, libraries, binaries.KubernetesVersion)
	}
}
