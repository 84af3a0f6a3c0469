package requirements_test

import (
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/internal/scenario/requirements"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// TestLabelComponents: a scenario about the emulator's own controller and sidecar is skipped for others.
func TestLabelComponents(t *testing.T) {
	t.Parallel()
	labelled := &spec.Scenario{Labels: map[string]string{requirements.LabelComponents: "it counts their writes"}}
	for _, own := range []bool{false, true} {
		emulator := requirements.Emulator{
			Info: description.Info{API: objectstorage.V1alpha2, OwnComponents: own}, HasStore: true, HasControlPlane: true,
		}
		if reason := emulator.Unmet(labelled); strings.Contains(reason, "it counts their writes") != own {
			t.Errorf("own components %t: %q", own, reason)
		}
		if reason := emulator.Unmet(&spec.Scenario{}); reason != "" {
			t.Errorf("without the label, own components %t: %q", own, reason)
		}
	}
}
