package scenario

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/internal/report"
)

// TestRerun: the command of a report can be pasted. Secrets come from the environment of the shell.
func TestRerun(t *testing.T) {
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	r := &scenarioRun{}
	r.addFlags(flags)
	err := flags.Parse([]string{
		"--keep", "--parallel", "3", "--driver-cmd", "./my driver", "--driver-env", "BACKEND=http://127.0.0.1:9000",
		"--driver-env", "BACKEND_PASSWORD=correct-horse", "--driver-env", "URL=http://me:horse@host", "--driver-env", "OTHER=is correct-horse",
	})
	if err != nil {
		t.Fatal(err)
	}
	got := rerun(flags)(report.Scenario{Name: "photos", Position: report.Position{File: "a b.yaml"}})
	want := cli.Program() + ` run 'a b.yaml' --scenario photos '--driver-cmd=./my driver' --driver-env=BACKEND=http://127.0.0.1:9000 ` +
		`--driver-env=BACKEND_PASSWORD="$BACKEND_PASSWORD" --driver-env=URL="$URL" --driver-env=OTHER="$OTHER" --keep`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
