package shard

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
)

func TestStateFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	point := run.Point{Component: "sidecar", Seam: journal.SeamRPC, Operation: "DriverCreateBucket", Subject: "bc-*", Nth: 1}
	trials := plan.TimingOf(plan.DefaultCallTimeout).Trials([]run.Point{point}, nil, "")
	open := func() *State {
		t.Helper()
		s, err := Open(t.Context(), path, []byte("a"), "story", Shard{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	s.Add(t.Context(), cause.Result{Case: trials[:1], Findings: []checks.Finding{{Oracle: "leak"}}, Reasons: []string{"Bound"}})
	s.Add(t.Context(), cause.Result{Case: trials[1:2]})
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	// A crash truncated the last line.
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data[:len(data)-5], 0o600); err != nil { //nolint:gosec // in a directory of the test
		t.Fatal(err)
	}
	s = open()
	type content struct {
		Tried   []bool
		Found   int
		Reasons []string
	}
	want := content{Tried: []bool{true, false}, Found: 1, Reasons: []string{"Bound"}}
	got := content{Tried: []bool{s.Has(trials[:1]), s.Has(trials[1:2])}, Found: len(s.Found), Reasons: s.Reasons}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("not just the complete lines are there (-want +got):\n%s", diff)
	}
	s.Add(t.Context(), cause.Result{Case: trials[2:3]})
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s = open(); !s.Has(trials[2:3]) {
		t.Error("the line after the truncated line is lost")
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path, []byte("b"), "story", Shard{}); !errors.Is(err, plan.ErrOptions) {
		t.Errorf("the state of another scenario: %v, want ErrOptions", err)
	}
}
