package progress

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

var errBroken = errors.New("broken")

// tell is a start that takes 3.2 seconds, with two phases side by side.
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
		want := "etcd: done in 1.2 s\n" +
			"programs: building\n1 of 3\n" +
			"store: failed after 2.0 s\n" +
			"programs: done in 2.0 s\n"
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
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
	if _, ok := New(file).(*plain); !ok {
		t.Error("a file is treated as a terminal")
	}
}

func closeTwice(t *testing.T, c io.Closer) {
	t.Helper()
	for range 2 {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// screen returns what a terminal shows, without colours: a line that is cleared
// starts again.
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
