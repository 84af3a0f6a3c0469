package run

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/oracle"
)

// TestSilenceLast verifies that a failed step is the finding, and not the retries of the
// components.
func TestSilenceLast(t *testing.T) {
	silence, leak, steps := oracle.Finding{Oracle: oracle.Silence}, oracle.Finding{Oracle: oracle.Leak}, oracle.Finding{Oracle: OracleSteps}
	if diff := cmp.Diff([]oracle.Finding{leak, steps, silence}, silenceLast([]oracle.Finding{leak, silence, steps})); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]oracle.Finding{silence, leak}, silenceLast([]oracle.Finding{silence, leak})); diff != "" {
		t.Errorf("without a failed step, -want, +got:\n%s", diff)
	}
}
