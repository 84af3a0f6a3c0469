package starvation

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestMeter reads the threads of a process and of its child, in the format of Linux.
func TestMeter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		proc := t.TempDir()
		thread := func(pid, tid string, ran, waited time.Duration) {
			write(t, filepath.Join(proc, pid, "task", tid, "schedstat"), fmt.Sprintf("%d %d 7\n", ran, waited))
		}
		thread("self", "1", time.Hour, time.Hour)
		thread("77", "77", time.Hour, time.Hour)
		write(t, filepath.Join(proc, "self", "task", "1", "children"), "77 ")
		m := &Meter{proc: proc}
		if got := m.Read(); got != (Usage{}) {
			t.Errorf("first Read() = %v, want none: the past does not count", got)
		}
		thread("self", "1", time.Hour+time.Second, time.Hour+3*time.Second)
		thread("77", "77", time.Hour+time.Second, time.Hour+5*time.Second)
		thread("77", "78", time.Second, time.Second) // a new thread
		if got := m.Read(); got != (Usage{}) {
			t.Errorf("Read() at once = %v, want the figures of the last", got)
		}
		<-time.After(time.Second) // of the test's clock
		want := Usage{Ran: 3 * time.Second, Waited: 9 * time.Second}
		got := m.Read()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Read() (-want +got):\n%s", diff)
		}
		if share := got.Share(); share != 0.75 {
			t.Errorf("Share() = %v, want 0.75", share)
		}
		if err := os.RemoveAll(filepath.Join(proc, "77")); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Second) // of the test's clock
		if diff := cmp.Diff(want, m.Read()); diff != "" {
			t.Errorf("Read() after the end of the child (-want +got):\n%s", diff)
		}
	})
}

// TestMeterElsewhere verifies that the figures are 0 without /proc.
func TestMeterElsewhere(t *testing.T) {
	m := &Meter{proc: filepath.Join(t.TempDir(), "none")}
	if got := m.Read(); got.Share() != 0 {
		t.Errorf("Read() = %v, want none", got)
	}
}
