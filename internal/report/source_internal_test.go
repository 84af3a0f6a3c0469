package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
)

func TestSources(t *testing.T) {
	const two = "# first\nname: a\n---\nname: b\nsteps: []\n"
	tests := map[string]struct {
		reason string
		line   int
		want   Source
	}{
		"First":  {reason: "It ends at the separator.", line: 2, want: Source{File: "s.yaml", Line: 1, Text: "# first\nname: a\n"}},
		"Second": {reason: "It begins after the separator.", line: 4, want: Source{File: "s.yaml", Line: 4, Text: "name: b\nsteps: []\n"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			used := spec.Source{Name: "steps.yaml", Content: "steps: []\n"}
			got := sources(&spec.Scenario{
				Position: document.Position{File: "s.yaml", Line: tc.line}, Sources: []spec.Source{{Name: "s.yaml", Content: two}, used},
			})
			want := []Source{tc.want, {File: "steps.yaml", Line: 1, Text: "steps: []\n"}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
