package recording_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/recording"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func header() recording.Header {
	return recording.Header{
		Program: "v0.1.0", Kubernetes: "v1.36.3", Started: noon, Scenario: "photos", Namespace: "photos-1",
		Files: []recording.File{{Name: "photos.yaml", Content: "kind: Scenario\n"}},
	}
}

// whole is a recording with all kinds of entries.
func whole(t *testing.T) []byte {
	t.Helper()
	var to buffer
	w := recording.NewWriter(&to, header())
	for seq := uint64(1); seq <= 3; seq++ {
		w.Event(journal.Event{
			Seq: seq, Time: noon, Component: "sidecar", Incarnation: 1, Seam: journal.SeamRPC,
			Operation: journal.Operation{Name: "DriverCreateBucket", Subject: "b"}, Nth: int(seq),
			Request: json.RawMessage(`{"name":"b"}`), Outcome: "OK",
		})
	}
	w.Event(journal.Event{Seq: 2})
	w.Injection(recording.Injection{Time: noon, Fault: fault.Fault{Name: "f"}})
	w.State([]byte(`{"a":1}`))
	w.End(recording.End{Time: noon, Outcome: "failed", Failures: []string{"no"}})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return to.Bytes()
}

type buffer struct{ bytes.Buffer }

func (*buffer) Close() error { return nil }

func TestRoundTrip(t *testing.T) {
	got, err := recording.Read(bytes.NewReader(whole(t)))
	if err != nil {
		t.Fatal(err)
	}
	want := header()
	want.Format, want.Version, want.Platform = recording.Format, recording.Version, runtime.GOOS+"/"+runtime.GOARCH
	if diff := cmp.Diff(want, got.Header); diff != "" {
		t.Errorf("header -want, +got:\n%s", diff)
	}
	if len(got.Events) != 3 || got.Events[2].Nth != 3 || string(got.Events[0].Request) != `{"name":"b"}` {
		t.Errorf("events: %v", got.Events)
	}
	if len(got.Faults) != 1 || string(got.State) != `{"a":1}` || got.End == nil || got.End.Outcome != "failed" {
		t.Errorf("got %+v", got)
	}
}

// TestCutOff truncates a recording at every byte: exactly the complete lines are read.
func TestCutOff(t *testing.T) {
	data := whole(t)
	first := bytes.IndexByte(data, '\n') + 1
	for end := range data {
		got, err := recording.Read(bytes.NewReader(data[:end]))
		if end < first {
			if !errors.Is(err, recording.ErrDamaged) {
				t.Fatalf("%d bytes: %v, want ErrDamaged: there is no header", end, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%d bytes: %v", end, err)
		}
		lines := bytes.Count(data[first:end], []byte("\n"))
		if len(got.Events) != min(lines, 3) || got.End != nil {
			t.Fatalf("%d bytes: %d events, end %v; want those of %d lines", end, len(got.Events), got.End, lines)
		}
	}
}

// TestFlips changes each byte of a recording: the reader must not accept it as the original.
func TestFlips(t *testing.T) {
	data := whole(t)
	original, err := recording.Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		changed := bytes.Clone(data)
		changed[i] ^= 1
		got, err := recording.Read(bytes.NewReader(changed))
		if errors.Is(err, recording.ErrDamaged) || errors.Is(err, recording.ErrVersion) {
			continue
		}
		// Without its last end of line, a complete recording is an interrupted one.
		if err != nil || got.End != nil || !cmp.Equal(original.Events, got.Events, cmpopts.EquateEmpty()) {
			t.Errorf("byte %d changed from %q to %q: %v", i, data[i], changed[i], err)
		}
	}
}

const newer = `{"header":{"format":"cosi-emu-recording","version":3,"program":"v9"}}`

func TestDamaged(t *testing.T) {
	lines := strings.SplitAfter(string(whole(t)), "\n")
	tests := map[string]struct {
		reason, data string
		want         error
		says         string
	}{
		"Empty":     {"Nothing is no recording.", "", recording.ErrDamaged, "no header"},
		"Other":     {"Another file.", "apiVersion: v1\n", recording.ErrDamaged, "line 1"},
		"Journal":   {"A journal is no recording.", `{"seq":1}` + "\n", recording.ErrDamaged, "line 1"},
		"Binary":    {"Not text.", "\x00\xff\x1f\x8b\n", recording.ErrDamaged, "line 1"},
		"Newer":     {"Not of this time.", newer + "\n", recording.ErrVersion, "v9"},
		"NoSum":     {"Written by hand.", lines[0] + `{"event":{"seq":1}}` + "\n", recording.ErrDamaged, "line 2"},
		"Twice":     {"Two in one.", lines[0] + lines[1] + lines[0], recording.ErrDamaged, "line 3: there is a second header"},
		"Backwards": {"An event out of order.", lines[0] + lines[2] + lines[1], recording.ErrDamaged, "event 1 comes behind event 2"},
		"Behind":    {"More after the end.", strings.Join(lines, "") + lines[1], recording.ErrDamaged, "behind the end"},
		"Long":      {"A line of 9 MiB.", lines[0] + strings.Repeat("x", 9<<20), recording.ErrDamaged, "line 2 is longer"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := recording.Read(strings.NewReader(tc.data))
			if !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%s\n%v, want %v that says %q", tc.reason, err, tc.want, tc.says)
			}
		})
	}
}

func TestCreate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "recordings")
	paths := map[string]bool{}
	for range 3 {
		w, err := recording.Create(dir, header(), nil)
		if err != nil {
			t.Fatal(err)
		}
		paths[w.Path()] = true
		// It must exist before the writer is closed, because the program may be killed.
		if _, err := recording.ReadFile(w.Path()); err != nil {
			t.Error(err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		info, err := os.Stat(w.Path())
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v: only the owner may read it", info.Mode(), err)
		}
	}
	if len(paths) != 3 || !paths[filepath.Join(dir, "photos.20261121-120000.000.cosirec")] {
		t.Errorf("paths: %v", paths)
	}
}

type full struct{ left int }

func (f *full) Write(data []byte) (int, error) {
	if f.left -= len(data); f.left < 0 {
		return 0, io.ErrShortWrite
	}
	return len(data), nil
}

func (*full) Close() error { return nil }

func TestFull(t *testing.T) {
	w := recording.NewWriter(&full{left: 1000}, header())
	for seq := uint64(1); seq < 100; seq++ {
		w.Event(journal.Event{Seq: seq})
	}
	if err := w.Close(); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("Close(): %v, want what went wrong", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(""))
	f.Add([]byte(`{"header":{"format":"cosi-emu-recording","version":2},"sum":"00000000"}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := recording.Read(bytes.NewReader(data))
		if err != nil && !errors.Is(err, recording.ErrDamaged) && !errors.Is(err, recording.ErrVersion) {
			t.Errorf("%v is of no kind", err)
		}
		if err == nil && r.Format != recording.Format {
			t.Error("this is no recording")
		}
	})
}

// TestRedacted: a closed recording contains no secret that became known late.
func TestRedacted(t *testing.T) {
	const key = "known-at-the-end"
	redact := func(text json.RawMessage) (json.RawMessage, []string) {
		if !bytes.Contains(text, []byte(key)) {
			return text, nil
		}
		return bytes.ReplaceAll(text, []byte(key), []byte("***")), []string{"account a"}
	}
	w, err := recording.Create(t.TempDir(), header(), redact)
	if err != nil {
		t.Fatal(err)
	}
	w.Event(journal.Event{Seq: 1, Outcome: "Unavailable", Message: "the key is " + key})
	w.Event(journal.Event{Seq: 2, Outcome: "OK"})
	w.End(recording.End{Time: noon, Outcome: "failed", Failures: []string{key}})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := recording.ReadFile(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	want := []journal.Event{
		{Seq: 1, Outcome: "Unavailable", Message: "the key is ***", Leaks: []string{"account a"}}, {Seq: 2, Outcome: "OK"},
	}
	if diff := cmp.Diff(want, got.Events); diff != "" {
		t.Errorf("events -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(&recording.End{Time: noon, Outcome: "failed", Failures: []string{"***"}}, got.End); diff != "" {
		t.Errorf("end -want, +got:\n%s", diff)
	}
	if info, err := os.Stat(w.Path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}
