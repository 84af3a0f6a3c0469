package kind

import "testing"

// TestParse verifies that the error lists the valid names.
func TestParse(t *testing.T) {
	for name, want := range map[string]Kind{"": Auto, "auto": Auto, "envtest": Envtest, "embedded": Embedded} {
		if got, err := Parse(name); err != nil || got != want {
			t.Errorf("Parse(%q) = %q, %v, want %q", name, got, err, want)
		}
	}
	const message = `control plane "kind" is unknown; choose one of auto, envtest, embedded`
	if _, err := Parse("kind"); err == nil || err.Error() != message {
		t.Errorf("error %v, want %s", err, message)
	}
}
