package command

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/internal/runbook"
)

func TestExplain(t *testing.T) {
	run := func(args ...string) (code int, out, problem string) {
		var stdout, stderr bytes.Buffer
		code = Run(t.Context(), cli.Streams{Out: &stdout, Err: &stderr}, append([]string{"explain"}, args...))
		return code, stdout.String(), stderr.String()
	}
	for _, name := range runbook.Names() {
		if code, out, problem := run(name); code != cli.ExitOK || !strings.HasPrefix(out, name+" (") || problem != "" {
			t.Errorf("explain %s: exit code %d, %q, %q", name, code, out, problem)
		}
	}
	for name, tc := range map[string]struct {
		reason string
		args   []string
		code   int
		want   []string // in the output or the error
	}{
		"Message": {
			"The message of an Event begins with the reason of the condition.", []string{"DriverRefused:"}, cli.ExitOK,
			[]string{"terminal code"},
		},
		"Both": {
			"A condition and a reason have one name.", []string{"provisioned"}, cli.ExitOK,
			[]string{"Provisioned (conditions)", "\nProvisioned (other events)"},
		},
		"Several": {
			"Each is explained.", []string{"Pending", "Bound"}, cli.ExitOK,
			[]string{"Pending (waiting)", "\nBound (other events)"},
		},
		"Misspelt": {
			"It has a suggestion.", []string{"DriverRefuse"}, cli.ExitUsage,
			[]string{`unknown reason "DriverRefuse": did you mean DriverRefused?`},
		},
		"Unknown": {
			"All are listed.", []string{"OOMKilled"}, cli.ExitUsage,
			[]string{`unknown reason "OOMKilled"; COSI has `, "DriverRefused, "},
		},
		"NoReason": {
			"It is required.", nil, cli.ExitUsage,
			[]string{"a reason is required"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, problem := run(tc.args...)
			for _, want := range tc.want {
				if code != tc.code || !strings.Contains(out+problem, want) {
					t.Errorf("%s\nexit code %d, want %d and %q:\n%s%s", tc.reason, code, tc.code, want, out, problem)
				}
			}
		})
	}
}

// TestExplainDescription has the output of kubectl describe on stdin.
func TestExplainDescription(t *testing.T) {
	description, err := os.ReadFile("testdata/describe.txt")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		reason, in string
		want       []string // the first words of each entry
		problem    string
	}{
		"Description": {
			"Each reason with an action is explained once, in its order.",
			string(description), []string{"DriverRefused", "BucketClassNotFound"}, "",
		},
		"Pending": {
			"No component has looked at the object.", "Reason: Pending", []string{"Pending"}, "",
		},
		"Healthy": {
			"There is nothing to do.", "Reason: Provisioned", nil, "stdin has no reason of COSI for which there is something to do\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := Run(t.Context(), cli.Streams{In: strings.NewReader(tc.in), Out: &stdout, Err: &stderr}, []string{"explain", "-"})
			var got []string
			for line := range strings.Lines(stdout.String()) {
				if name, _, found := strings.Cut(line, " ("); found && !strings.HasPrefix(line, " ") {
					got = append(got, name)
				}
			}
			if diff := cmp.Diff(tc.want, got); code != cli.ExitOK || diff != "" || stderr.String() != tc.problem {
				t.Errorf("%s\nexit code %d, %q; -want, +got:\n%s", tc.reason, code, stderr.String(), diff)
			}
		})
	}
}
