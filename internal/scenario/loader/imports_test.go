package loader_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestImports verifies that lint does not import the emulator: a scenario is checked against names,
// not against a running system.
func TestImports(t *testing.T) {
	const module = "github.com/cosi-emu/cosi-emu/"
	allowed := []string{
		"internal/vocabulary", "internal/seam/operations", "internal/secretvalues", "internal/hub",
		"internal/snapshot", "internal/drafts",
		"emulator/journal", "emulator/fault",
	}
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".", "../spec").Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		name, ours := strings.CutPrefix(path, module)
		if !ours || slices.Contains(allowed, name) {
			continue
		}
		for _, forbidden := range []string{
			"controller", "deploy", "emulator", "internal/controlplane", "internal/existingcluster", "internal/oracle", "internal/scenario/engine",
			"internal/seam", "internal/session", "internal/subprocess", "sidecar",
		} {
			if name == forbidden || strings.HasPrefix(name, forbidden+"/") {
				t.Errorf("lint links %s", path)
			}
		}
	}
}
