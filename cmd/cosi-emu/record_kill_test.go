package main_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/instance"
	"github.com/cosi-emu/cosi-emu/internal/recording"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// busy is a scenario with many events, which go on after it reports its start.
const busy = claims + ready + touches + `- timeout: 5m
  repeat: {times: 9000, steps: [{call: {method: DriverGetInfo}}]}
`

// TestRecordKilled kills a run as kill -9 does, while it records: the recording has all of the
// journal except at most the last event, and can be replayed.
func TestRecordKilled(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("s.yaml", scenario("busy", busy))
	run := h.start("run", "s.yaml", "--record", "kept", "--allow-exec", "--name", "killed")
	h.waitForFile("started")
	info := h.info("status", "--name", "killed", "-o", "json")
	started := len(h.unfinished().Events)
	harness.Until(t, "events are recorded", func(context.Context) (bool, error) {
		return len(h.unfinished().Events) > started+100, nil
	})
	h.killEmulator(info)
	if code := run.wait(); code >= 0 {
		t.Errorf("exit code %d, but it was killed", code)
	}
	recorded := h.unfinished()
	if recorded.End != nil || recorded.Scenario != "busy" || len(recorded.Files) != 1 {
		t.Errorf("header %+v, end %+v", recorded.Header, recorded.End)
	}
	written := journalOf(t, info, recorded.Events[0].Seq)
	if missing := len(written) - len(recorded.Events); missing < 0 || missing > 1 {
		t.Fatalf("the journal has %d events and the recording %d: at most the last may be missing", len(written), len(recorded.Events))
	}
	if diff := cmp.Diff(written[:len(recorded.Events)], recorded.Events); diff != "" {
		t.Errorf("-journal, +recording:\n%s", diff)
	}
	if r := h.run("replay", h.recordings("kept/unfinished", "busy")[0], "--as", "judge"); r.code != 2 {
		t.Errorf("judge what was cut off: exit code %d, want 2\n%s%s", r.code, r.out, r.err)
	}
	h.must("down", "--name", "killed")
	h.expectNothingLeft()
}

// unfinished reads the only recording in progress.
func (h *home) unfinished() *recording.Recording {
	h.t.Helper()
	files := h.recordings(filepath.Join("kept", "unfinished"), "busy")
	if len(files) != 1 {
		h.t.Fatalf("unfinished recordings: %v, want one", files)
	}
	r, err := recording.ReadFile(files[0])
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

// journalOf reads the journal of an emulator, from an event on, without a truncated last line.
func journalOf(t *testing.T, info instance.Info, from uint64) []journal.Event {
	t.Helper()
	file, err := os.Open(filepath.Join(info.Dir, "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	var events []journal.Event
	lines := bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return events
		}
		var e journal.Event
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		if e.Seq >= from {
			events = append(events, e)
		}
	}
}
