package contract

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/runner"
	"github.com/cosi-emu/cosi-emu/internal/store"
)

// TestRestarting verifies that scenarios which end on another emulator than the one on which they began are judged over
// both: what the emulator loses between its stop and its start is found.
func TestRestarting(t *testing.T) {
	t.Parallel()
	const ready = "steps:" + granted
	tests := map[string]struct {
		reason    string
		scenarios []string
		between   func(t *testing.T, dir string)
		want      []string // what each failure begins with
	}{
		"Clean": {
			reason: "Nothing is lost, also of a scenario's own driver, and of scenarios that run alone.",
			scenarios: []string{
				ready, lifecycle, "setup: {drivers: [{name: one}]}\n" + ready,
				"steps:" + granted + "- crash: sidecar\n", "steps: [{exec: {command: [true]}}]", "steps: [{settle: }]",
			},
		},
		"BucketLost": {
			reason: "The store has lost a bucket and an account.", scenarios: []string{ready}, between: loseAll,
			want: []string{"loss: Bucket ", "loss: BucketAccess "},
		},
		"StepFailed": {
			reason:    "The failure of a step stays the first.",
			scenarios: []string{"steps: [{expect: {BucketClaim/no: {status: {readyToUse: true}}}, timeout: 100ms}]"},
			want:      []string{"BucketClaim/no: "},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := &runner.Restarting{Parallel: 4}
			for i, text := range tc.scenarios {
				s := parse(t, text)
				s.Name = strings.ToLower(name) + string(rune('a'+i))
				run.Scenarios = append(run.Scenarios, s)
			}
			done := restarting(t, run, tc.between)
			var got []string
			for _, s := range done.Scenarios {
				for _, f := range s.Failures {
					at := ""
					for _, want := range tc.want {
						if strings.HasPrefix(f.Message, want) {
							at = want
						}
					}
					if at == "" {
						at = f.Message
					}
					got = append(got, at)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s failures (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// restarting runs scenarios over as many emulators as they need.
func restarting(t *testing.T, run *runner.Restarting, between func(*testing.T, string)) report.Report {
	t.Helper()
	opts := emulator.Options{DataDir: filepath.Join(t.TempDir(), "data"), ControlPlaneKind: emulator.ControlPlaneEmbedded}
	for more := true; more; {
		emu, err := emulator.Start(t.Context(), opts)
		if err != nil {
			t.Fatal(err)
		}
		more = run.Continue(t.Context(), engine.New(emu, engine.Options{}), emu.Journal())
		if err := emu.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Fatal(err)
		}
		if more && between != nil {
			between(t, opts.DataDir)
		}
		opts.After = emu
	}
	return run.Report(t.Context(), "test")
}

// loseAll deletes all buckets and accounts of the drivers from the store in a data directory.
func loseAll(t *testing.T, dir string) {
	t.Helper()
	s, err := store.New(store.Options{Dir: filepath.Join(dir, "store")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Forget(t.Context(), func(owner string) bool { return owner == fakedriver.DefaultName }); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
