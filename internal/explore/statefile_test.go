package explore

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
)

func TestStateFile(t *testing.T) {
	opts := Options{Text: []byte("a"), State: filepath.Join(t.TempDir(), "state")}
	trials := timingOf(DefaultCallTimeout).trials([]Point{{"sidecar", journal.SeamRPC, "DriverCreateBucket", "bc-*", 1}}, nil, "")
	open := func() *stateFile {
		t.Helper()
		s, err := openState(t.Context(), opts)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	s.add(t.Context(), caseResult{Case: trials[:1], Findings: []checks.Finding{{Oracle: "leak"}}})
	s.add(t.Context(), caseResult{Case: trials[1:2]})
	if err := s.close(t.Context()); err != nil {
		t.Fatal(err)
	}
	// A crash truncated the last line.
	data, err := os.ReadFile(opts.State)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(opts.State, data[:len(data)-5], 0o600); err != nil { //nolint:gosec // in a directory of the test
		t.Fatal(err)
	}
	s = open()
	if !s.has(trials[:1]) || s.has(trials[1:2]) || len(s.old) != 1 {
		t.Errorf("done: %v, with findings: %d; want the complete lines", s.done, len(s.old))
	}
	s.add(t.Context(), caseResult{Case: trials[2:3]})
	if err := s.close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s = open(); !s.has(trials[2:3]) {
		t.Error("the line after the truncated line is lost")
	}
	if err := s.close(t.Context()); err != nil {
		t.Fatal(err)
	}
	opts.Text = []byte("b")
	if _, err := openState(t.Context(), opts); !errors.Is(err, ErrOptions) {
		t.Errorf("the state of another scenario: %v, want ErrOptions", err)
	}
}
