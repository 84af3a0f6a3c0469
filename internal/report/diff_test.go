package report_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/scenario/match"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// changed returns the different lines in the diff of a failure.
func changed(differences []string, expected, got string) []string {
	failure := outcome.Failure{Expected: expected, Got: got}
	for _, path := range differences {
		failure.Differences = append(failure.Differences, match.Difference{Path: path})
	}
	s := report.NewScenario(outcome.Result{Scenario: &spec.Scenario{}, Failures: []outcome.Failure{failure}}, nil)
	var lines []string
	for line := range strings.Lines(s.Failures[0].Diff) {
		header := strings.HasPrefix(line, "---") || strings.HasPrefix(line, "+++")
		if !header && (line[0] == '-' || line[0] == '+') {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return lines
}

func TestDiff(t *testing.T) {
	for name, tc := range map[string]struct {
		reason        string
		differences   []string
		expected, got string
		want          []string
	}{
		"Value": {
			reason: "Only what is different, and nothing that was not spoken of.", differences: []string{"a"},
			expected: "{a: 1, b: 2}", got: "{a: 3, b: 2, c: 4}", want: []string{"-a: 1", "+a: 3"},
		},
		"Condition": {
			reason: "A condition that holds is no difference.", differences: []string{"b"},
			expected: "{a: {cel: self > 1}, b: 1}", got: "{a: 5, b: 2}", want: []string{"-b: 1", "+b: 2"},
		},
		"BrokenCondition": {
			reason: "One that does not is.", differences: []string{"a"},
			expected: "{a: {cel: self > 1}}", got: "{a: 0}", want: []string{"-a:", "-  cel: self > 1", "+a: 0"},
		},
		"Absent": {
			reason: "What is rightly absent is not shown.", differences: []string{"b"},
			expected: "{a: absent, b: absent}", got: "{b: 1}", want: []string{"-b: absent", "+b: 1"},
		},
		"Present": {
			reason: "It is not there.", differences: []string{"b"},
			expected: "{a: present, b: present}", got: "{a: 1}", want: []string{"-b: present"},
		},
		"Keyed": {
			reason: "Items are compared by their key, whatever their order.", differences: []string{"l[type=B].s"},
			expected: "{l: [{type: B, s: x}]}", got: "{l: [{type: A, s: z}, {type: B, s: v}]}", want: []string{"-- s: x", "+- s: v"},
		},
		"NoSuchItem": {
			reason: "There is none with the key.", differences: []string{"l[type=B]"},
			expected: "{l: [{type: B}]}", got: "{l: [{type: A}]}", want: []string{"-l:", "-- type: B", "+l: []"},
		},
		"Indexed": {
			reason: "Items without keys are compared by their place.", differences: []string{"l[1]"},
			expected: "{l: [a, b]}", got: "{l: [a, c]}", want: []string{"-- b", "+- c"},
		},
		"Number": {
			reason: "The other list is longer.", differences: []string{"l"},
			expected: "{l: [a]}", got: "{l: [a, c]}", want: []string{"+- c"},
		},
		"Nothing": {
			reason: "The object is not there.", differences: []string{""},
			expected: "present", got: "", want: []string{"-present", "+(nothing)"},
		},
		"Golden": {
			reason: "Texts are compared as they are.", expected: "---\na: 1\n---\nb: 2", got: "---\na: 1\n---\nb: 3",
			want: []string{"-b: 2", "+b: 3"},
		},
		"NoYAML": {
			reason: "What cannot be read is compared as it is.", differences: []string{"a"}, expected: "a: 1", got: "\t",
			want: []string{"-a: 1", "+\t"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, changed(tc.differences, tc.expected, tc.got)); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
