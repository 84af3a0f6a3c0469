package scenarios_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/scenarios"
)

func TestRun(t *testing.T) {
	scenarios.Run(t, "testdata/*.yaml", scenarios.AllowExec())
}

func TestRunOn(t *testing.T) {
	emu := emulatortest.Start(t, emulator.Options{})
	scenarios.Run(t, "testdata/lifecycle.yaml", scenarios.On(emu))
}

func TestRunOutcomes(t *testing.T) {
	tests := map[string]struct {
		reason, pattern string
		want            []string
		says            []string
	}{
		"Passed": {reason: "It holds.", pattern: "testdata/lifecycle.yaml", want: []string{"Test/lifecycle passed"}},
		"Skipped": {
			reason: "Programs are not allowed.", pattern: "testdata/several.yaml",
			want: []string{"Test/restarted passed", "Test/program skipped"},
		},
		"Failed": {
			reason: "It says what, where, and how to see it again.", pattern: "testdata/failing/*.yaml", want: []string{"Test/different failed"},
			says: []string{
				"FAILED: different", "testdata/failing/different.yaml:7:3", "expect: another protocol", "-  - Azure", "+  - S3",
				"the journal", "go test -run '^Test$/^different$'",
			},
		},
		"Unknown": {
			reason: "The place and what was meant.", pattern: "testdata/bad/unknown.yaml",
			says: []string{`unknown.yaml:5:3: unknown field "aply": did you mean "apply"?`},
		},
		"Twice": {
			reason: "The first is named.", pattern: "testdata/bad/twice.yaml",
			says: []string{`twice.yaml:6:1: scenario "twice" already exists at testdata/bad/twice.yaml:1:1`},
		},
		"All": {reason: "All problems of all files.", pattern: "testdata/bad/*.yaml", says: []string{"twice.yaml:6", "unknown.yaml:5"}},
		"None": {
			reason: "A pattern with a mistake tests nothing.", pattern: "testdata/*.yml",
			says: []string{`no file matches "testdata/*.yml"`},
		},
		"Pattern": {reason: "Nor does one that cannot be.", pattern: "testdata/[", says: []string{`"testdata/["`}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := record("Test", func(r *recorder) { scenarios.Run(r, tc.pattern) })
			if diff := cmp.Diff(tc.want, got.outcomes()); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
			logged := got.logged.String()
			for _, child := range got.children {
				logged += child.logged.String()
			}
			for _, want := range tc.says {
				if !strings.Contains(logged, want) {
					t.Errorf("%s\nit does not say %q:\n%s", tc.reason, want, logged)
				}
			}
			if wantFailed := tc.says != nil; got.failed != wantFailed {
				t.Errorf("%s\nfailed: %t, want %t", tc.reason, got.failed, wantFailed)
			}
		})
	}
}
