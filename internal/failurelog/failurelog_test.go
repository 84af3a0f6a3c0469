package failurelog_test

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/failurelog"
)

type recorder struct {
	testing.TB

	logged strings.Builder
}

func (r *recorder) Logf(format string, args ...any) { fmt.Fprintf(&r.logged, format+"\n", args...) }

func TestKeep(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	r := &recorder{TB: t}
	failurelog.Keep(r, "journal of an emulator", func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Repeat("a line\n", 1000))
		return err
	})
	name, path, _ := strings.Cut(strings.TrimSpace(r.logged.String()), ": ")
	if name != "journal of an emulator" || strings.Contains(path, "\n") {
		t.Fatalf("the test logs %q, want one line with a path", r.logged.String())
	}
	content, err := os.ReadFile(path)
	if err != nil || strings.Count(string(content), "\n") != 1000 {
		t.Errorf("%s has %d lines, want 1000: %v", path, strings.Count(string(content), "\n"), err)
	}
	failed := &recorder{TB: t}
	failurelog.Keep(failed, "odd", func(io.Writer) error { return os.ErrClosed })
	if !strings.Contains(failed.logged.String(), "cannot be kept") {
		t.Errorf("a failure is not reported: %q", failed.logged.String())
	}
}
