package progress

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/term"

	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

var errBroken = errors.New("broken")

// tell reports a start that takes 3.2 seconds, with two parallel phases.
func tell(r Reporter) {
	r.PhaseStarted("etcd")
	time.Sleep(1200 * time.Millisecond) //nolint:forbidigo // the clock is the bubble's
	r.PhaseEnded("etcd", 1200*time.Millisecond, nil)
	r.PhaseStarted("programs")
	r.PhaseProgress("programs", "building\n1 of 3")
	r.PhaseStarted("store")
	time.Sleep(2 * time.Second) //nolint:forbidigo // the clock is the bubble's
	r.PhaseEnded("store", 2*time.Second, errBroken)
	r.PhaseEnded("programs", 2*time.Second, nil)
}

func TestPlain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		r := New(&out)
		tell(r)
		closeTwice(t, r)
		want := "etcd: started\n" +
			"etcd: done in 1.2 s\n" +
			"programs: started\n" +
			"store: started\n" +
			"store: failed after 2.0 s\n" +
			"programs: done in 2.0 s\n"
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
	})
}

// TestPlainLong: a phase of a minute, with progress every second, has a line every 15 seconds.
func TestPlainLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		r := New(&out)
		r.PhaseStarted("programs")
		r.PhaseNote("programs", "no download: they are built")
		betweenTicks()
		for second := range 59 {
			r.PhaseProgress("programs", fmt.Sprintf("%d packages", second))
			time.Sleep(time.Second) //nolint:forbidigo // the clock is the bubble's
		}
		r.PhaseEnded("programs", time.Minute, nil)
		closeTwice(t, r)
		want := "programs: no download: they are built\n" +
			"programs: started\n" +
			"programs: 14 packages, after 15s\n" +
			"programs: 29 packages, after 30s\n" +
			"programs: 44 packages, after 45s\n" +
			"programs: done in 60.0 s\n"
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
	})
}

// betweenTicks waits for a moment at which no line is due.
func betweenTicks() {
	time.Sleep(plainTick / 2) //nolint:forbidigo // the clock is the bubble's
}

func TestTerminalBar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		r := newTerminal(&out, func() int { return 80 })
		r.PhaseStarted("programs")
		r.PhaseProgress("programs", "building")
		r.PhaseDone("programs", 3, 4)
		r.PhaseNote("programs", "a note")
		want := []string{"   programs: a note", " ⠋ [##################......] programs 0.0 s building"}
		if diff := cmp.Diff(want, screen(out.String())); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
		closeTwice(t, r)
	})
}

func TestNoColour(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	var out strings.Builder
	r := newTerminal(&out, func() int { return 40 })
	r.PhaseStarted("etcd")
	r.PhaseEnded("etcd", time.Second, nil)
	closeTwice(t, r)
	s := newLive(&out, func() int { return 40 }, 1)
	s.ScenarioEnded(outcome.Result{Scenario: first, Outcome: outcome.Passed})
	closeTwice(t, s)
	if text := out.String(); strings.Contains(text, green) || !strings.Contains(text, "✓ etcd") || !strings.Contains(text, "✓ passed first") {
		t.Errorf("there is a colour, or no check mark: %q", text)
	}
}

// TestDumbTerminal: a terminal that cannot redraw lines gets the same progress as other outputs.
func TestDumbTerminal(t *testing.T) {
	file, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil || !term.IsTerminal(int(file.Fd())) {
		t.Skipf("there is no terminal for the test: %v", err)
	}
	t.Cleanup(func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	})
	for name, redrawn := range map[string]bool{"xterm": true, "": true, "dumb": false} {
		t.Setenv("TERM", name)
		r := New(file)
		if _, is := r.(*terminal); is != redrawn {
			t.Errorf("with TERM=%s, New() = %T", name, r)
		}
		closeTwice(t, r)
		s := NewScenarios(file, 1)
		if _, is := s.Observer.(*live); is != redrawn {
			t.Errorf("with TERM=%s, NewScenarios() = %T", name, s.Observer)
		}
		closeTwice(t, s)
		if c := NewCount(file); (c.width != nil) != redrawn {
			t.Errorf("with TERM=%s, NewCount() has a bar: %t", name, !redrawn)
		}
	}
}

// TestRelay: the records of a process look the same in another process, even in pieces.
func TestRelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var direct, records, relayed strings.Builder
		all := func(r Reporter) {
			tell(r)
			r.PhaseStarted("programs")
			r.PhaseDone("programs", 1, 2)
			r.PhaseNote("programs", "a note")
			r.Print("Error: text\n")
			r.PhaseEnded("programs", time.Second, nil)
		}
		r := newTerminal(&direct, func() int { return 80 })
		all(r)
		closeTwice(t, r)
		all(NewRecorder(&records))
		relay := NewRelay(newTerminal(&relayed, func() int { return 80 }))
		for _, piece := range strings.SplitAfter(records.String(), "e") {
			if _, err := relay.Write([]byte(piece)); err != nil {
				t.Fatal(err)
			}
		}
		closeTwice(t, relay)
		if diff := cmp.Diff(screen(direct.String()), screen(relayed.String())); diff != "" {
			t.Errorf("-direct, +relayed:\n%s", diff)
		}
	})
}

func TestTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		r := newTerminal(&out, func() int { return 40 })
		tell(r)
		closeTwice(t, r)
		want := []string{
			" ✓ etcd (1.2 s)",
			" ✗ store (2.0 s)",
			" ✓ programs (2.0 s)",
			"",
		}
		if diff := cmp.Diff(want, screen(out.String())); diff != "" {
			t.Errorf("the screen at the end: -want, +got:\n%s", diff)
		}
	})
}

func TestTerminalWhileRunning(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		width  int
		want   string
	}{
		"Wide":   {"all that goes on, on one line", 80, " ⠋ programs 1.0 s building 1 of 3, store 1.0 s"},
		"Narrow": {"a line that wrapped could not be replaced", 24, " ⠋ programs 1.0 s buil…"},
		"Tiny":   {"nor may a silly width do harm", 1, " ⠋ …"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out strings.Builder
				r := newTerminal(&out, func() int { return tc.width })
				r.PhaseStarted("programs")
				r.PhaseProgress("programs", "building\n1 of 3")
				r.PhaseStarted("store")
				time.Sleep(time.Second) //nolint:forbidigo // the clock is the bubble's
				synctest.Wait()
				lines := screen(out.String())
				if diff := cmp.Diff([]string{tc.want}, lines); diff != "" {
					t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
				}
				closeTwice(t, r)
			})
		})
	}
}

func TestNewChoosesPlainForFiles(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/log")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // nothing is kept
	r, ok := New(file).(*plain)
	if !ok {
		t.Fatal("a file is treated as a terminal")
	}
	closeTwice(t, r)
}

func closeTwice(t *testing.T, c io.Closer) {
	t.Helper()
	for range 2 {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// screen returns the text on a terminal, without colours: a cleared line starts again.
func screen(text string) []string {
	text = strings.NewReplacer(green, "", red, "", plainText, "").Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = line[strings.LastIndex(line, clearLine)+len(clearLine):]
		if !strings.Contains(line, clearLine) {
			lines[i] = line
		}
	}
	return lines
}
