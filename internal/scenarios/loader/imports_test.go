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
		"internal/emulator/vocabulary", "internal/emulator/operations", "internal/emulator/secretvalues", "internal/emulator/hub",
		"internal/emulator/snapshot", "internal/emulator/drafts",
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
		for _, forbidden := range []string{"emulator", "internal/emulator", "controller", "sidecar", "deploy", "internal/scenarios/engine"} {
			if name == forbidden || strings.HasPrefix(name, forbidden+"/") {
				t.Errorf("lint links %s", path)
			}
		}
	}
}
