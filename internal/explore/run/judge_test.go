package run

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// TestSilenceLast verifies that a failed step is the finding, and not the retries of the
// components.
func TestSilenceLast(t *testing.T) {
	silence, leak := checks.Finding{Oracle: vocabulary.Silence}, checks.Finding{Oracle: vocabulary.Leak}
	steps := checks.Finding{Oracle: OracleSteps}
	if diff := cmp.Diff([]checks.Finding{leak, steps, silence}, silenceLast([]checks.Finding{leak, silence, steps})); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]checks.Finding{silence, leak}, silenceLast([]checks.Finding{silence, leak})); diff != "" {
		t.Errorf("without a failed step, -want, +got:\n%s", diff)
	}
}
