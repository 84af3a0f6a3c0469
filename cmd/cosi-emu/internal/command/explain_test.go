package command

import (
	"bytes"
	"strings"
	"testing"

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
