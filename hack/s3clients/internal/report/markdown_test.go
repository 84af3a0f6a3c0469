package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/operation"
)

func TestCell(t *testing.T) {
	http := Result{Client: "c 1", Operation: operation.PutGet, Variant: "http path"}
	https := Result{Client: "c 1", Operation: operation.PutGet, Variant: "https path"}
	with := func(r Result, change func(*Result)) Result {
		change(&r)
		return r
	}
	wrong := func(text string) func(*Result) { return func(r *Result) { r.Error = text } }
	absent := func(r *Result) { r.None = true }
	tests := map[string]struct {
		reason  string
		results []Result
		want    string
		notes   []string
	}{
		"Works": {
			reason:  "A cell stands for all variants.",
			results: []Result{https, http}, want: "✓",
		},
		"FailsInOne": {
			reason:  "One failure is enough, and the note says where.",
			results: []Result{http, with(https, wrong("broken"))}, want: "✗ 1", notes: []string{"https path: broken"},
		},
		"FailsAlikeInBoth": {
			reason:  "The same error is one note, in the order of the variants.",
			results: []Result{with(https, wrong("broken")), with(http, wrong("broken"))},
			want:    "✗ 1", notes: []string{"http path, https path: broken"},
		},
		"FailsDifferently": {
			reason:  "Each error is a note.",
			results: []Result{with(http, wrong("one")), with(https, wrong("two"))},
			want:    "✗ 1 2", notes: []string{"http path: one", "https path: two"},
		},
		"Absent": {
			reason:  "What the client does not have is no failure.",
			results: []Result{with(http, absent), with(https, absent)}, want: "–",
		},
		"NotTried": {
			reason:  "What was not tried does not work.",
			results: []Result{http}, want: "✗ 1", notes: []string{"1 of 2: not tried"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			table := Table{Clients: []string{"c 1"}, Variants: []string{"http path", "https path"}}
			for _, r := range tc.results {
				table.Add(r)
			}
			footnotes := &notes{numbers: map[string]int{}}
			if got := table.cell("c 1", operation.PutGet, footnotes); got != tc.want {
				t.Errorf("%s\ncell() = %q, want %q", tc.reason, got, tc.want)
			}
			if diff := cmp.Diff(tc.notes, footnotes.texts); diff != "" {
				t.Errorf("%s\nnotes (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestNotesAreShared(t *testing.T) {
	table := Table{Clients: []string{"c 1", "d 2"}, Variants: []string{"http path"}}
	for _, client := range table.Clients {
		table.Add(Result{Client: client, Operation: operation.Head, Variant: "http path", Error: "broken"})
	}
	footnotes := &notes{numbers: map[string]int{}}
	for _, client := range table.Clients {
		if got := table.cell(client, operation.Head, footnotes); got != "✗ 1" {
			t.Errorf("cell(%s) = %q, want the first note", client, got)
		}
	}
	if got := len(table.Failed()); got != 2 {
		t.Errorf("Failed() has %d results, want 2", got)
	}
}
