package contract

import (
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

func TestRejected(t *testing.T) {
	t.Parallel()
	e := engine.New(emulatortest.Start(t, emulator.Options{}), engine.Options{})
	const badClaim = "steps: [{apply: {kind: BucketClaim, metadata: {name: a}, spec: {protocols: [%]}}, rejected: $}]"
	tests := map[string]struct {
		reason, scenario string
		want             outcome.Outcome
		message          string
	}{
		"AsItShould": {
			reason: "The words are in what the API server says.", want: outcome.Passed,
			scenario: strings.NewReplacer("%", "S4", "$", "supported values").Replace(badClaim),
		},
		"OtherWords": {
			reason: "The API server rejects it for another reason.", want: outcome.Failed, message: "expected a rejection with immutable",
			scenario: strings.NewReplacer("%", "S4", "$", "immutable").Replace(badClaim),
		},
		"Allowed": {
			reason: "The API server accepts it.", want: outcome.Failed, message: "API server accepted it",
			scenario: "steps: [{apply: {kind: ConfigMap, metadata: {name: a}}, rejected: x}]",
		},
		"Gone": {
			reason: "What is not there cannot be deleted.", want: outcome.Passed,
			scenario: "steps: [{delete: ConfigMap/a, rejected: not found}]",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := e.Run(t.Context(), parse(t, tc.scenario))
			if got.Outcome != tc.want || !strings.Contains(explain(got), tc.message) {
				t.Errorf("%s\n%s, want %s with %q\n%s", tc.reason, got.Outcome, tc.want, tc.message, explain(got))
			}
		})
	}
}
