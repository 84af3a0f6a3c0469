package process_test

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/conformance/process"
	"github.com/cosi-emu/cosi-emu/internal/driverserver"
	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

// role is the variable by which this program is a driver instead of a test.
const role = "TEST_DRIVER"

func TestMain(m *testing.M) {
	if os.Getenv(role) == "" {
		leaks.Main(m)
		return
	}
	if beDriver() != nil {
		os.Exit(1)
	}
}

// beDriver is a driver until SIGTERM, which it handles if it is polite.
func beDriver() error {
	ctx := context.Background()
	if os.Getenv(role) == "polite" {
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, syscall.SIGTERM)
		defer stop()
	}
	return driverserver.Run(ctx, driverserver.Options{Endpoint: os.Getenv("COSI_ENDPOINT"), S3BindAddress: "127.0.0.1:0"})
}

// newDriver returns a driver that is this program in a role, with a journal.
func newDriver(t *testing.T, options process.Options) (*process.Driver, *journal.Journal) {
	t.Helper()
	options.Journal = journal.New(journal.Options{})
	if options.Args == nil {
		options.Args = []string{os.Args[0]}
	}
	if options.ConnectTimeout == 0 {
		options.ConnectTimeout = harness.Timeout
	}
	d, err := process.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d, options.Journal
}

func steps(j *journal.Journal) []string {
	var all []string
	for _, e := range j.Since(0) {
		if e.Seam == journal.SeamProcess {
			all = append(all, e.Operation.Name)
		}
	}
	return all
}

func TestLife(t *testing.T) {
	d, j := newDriver(t, process.Options{Env: []string{role + "=polite"}})
	if err := d.Start(t.Context(), process.How{}); err != nil {
		t.Fatal(err)
	}
	if err := d.Launch(process.How{}); err == nil {
		t.Error("Launch() of a driver that runs = nil")
	}
	if exit := d.Stop(); exit.Code != 0 || !exit.Clean() || d.Running() {
		t.Errorf("Stop() = %v", exit)
	}
	if err := d.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.Kill()
	if exit := d.Stop(); exit.Signal != syscall.SIGKILL || exit.Clean() {
		t.Errorf("after Kill, Stop() = %v", exit)
	}
	if diff := cmp.Diff([]string{"start", "ready", "stop", "start", "ready", "crash"}, steps(j)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if exits := d.Exits(); exits != nil {
		t.Errorf("Exits() = %v", exits)
	}
}

// TestSignal verifies that an end by SIGTERM is clean.
func TestSignal(t *testing.T) {
	d, _ := newDriver(t, process.Options{Env: []string{role + "=rude"}})
	if err := d.Start(t.Context(), process.How{}); err != nil {
		t.Fatal(err)
	}
	if exit := d.Stop(); exit.Signal != syscall.SIGTERM || !exit.Clean() {
		t.Errorf("Stop() = %v", exit)
	}
}

// TestSocket verifies that a start replaces the socket of a killed process, or keeps it for the
// driver to replace, and that a driver can use another endpoint.
func TestSocket(t *testing.T) {
	d, _ := newDriver(t, process.Options{Env: []string{role + "=polite"}})
	for _, start := range []struct {
		name    string
		isStale bool
		how     process.How
	}{
		{"first", false, process.How{}},
		{"stale, replaced", true, process.How{}},
		{"stale, kept", true, process.How{KeepSocket: true}},
		{"elsewhere", false, process.How{Endpoint: d.Elsewhere("other")}},
	} {
		if start.isStale {
			if err := d.LeaveSocket(); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.Start(t.Context(), start.how); err != nil {
			t.Errorf("%s: %v", start.name, err)
		}
		d.Kill()
	}
}

// TestNotReady verifies that the error about a driver which exits before it is ready, or never is
// ready, has its output.
func TestNotReady(t *testing.T) {
	t.Run("exits", func(t *testing.T) {
		d, j := newDriver(t, process.Options{Args: []string{"sh", "-c", "echo no backend; exit 3"}})
		err := d.Start(t.Context(), process.How{})
		if err == nil || !strings.Contains(err.Error(), "exit status 3") || !strings.Contains(err.Error(), "no backend") {
			t.Errorf("Start() = %v", err)
		}
		if diff := cmp.Diff([]string{"start", "fail"}, steps(j)); diff != "" || len(d.Exits()) > 0 {
			t.Errorf("exits %v, steps: -want, +got:\n%s", d.Exits(), diff)
		}
	})
	t.Run("silent", func(t *testing.T) {
		d, _ := newDriver(t, process.Options{Args: []string{"sleep", "600"}, ConnectTimeout: 100 * time.Millisecond, EndpointFlag: "--at"})
		if err := d.Start(t.Context(), process.How{}); err == nil || !strings.Contains(err.Error(), "does not listen") || d.Running() {
			t.Errorf("Start() = %v, and it runs: %t", err, d.Running())
		}
	})
}

// TestExits verifies that the end of a driver by itself is reported.
func TestExits(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	d, _ := newDriver(t, process.Options{
		Args: []string{"sh", "-c", "echo $$ >" + file + "; exec " + os.Args[0]}, Env: []string{role + "=rude"},
	})
	if err := d.Start(t.Context(), process.How{}); err != nil {
		t.Fatal(err)
	}
	kill(t, file)
	d.WaitEnd(t.Context())
	if exits := d.Exits(); len(exits) != 1 || !strings.Contains(exits[0], "signal: killed") || d.Running() {
		t.Errorf("Exits() = %v", exits)
	}
}

// TestOutput verifies that the journal has the driver's output without known secrets.
func TestOutput(t *testing.T) {
	d, j := newDriver(t, process.Options{
		Args: []string{"sh", "-c", "echo secret=$(SECRET); exit 1"}, Variables: map[string]string{"SECRET": "hunter22"},
	})
	j.AddAccountSecret("a", "hunter22")
	if err := d.Start(t.Context(), process.How{}); err == nil || strings.Contains(err.Error(), "hunter22") {
		t.Errorf("Start() = %v", err)
	}
	if !slices.ContainsFunc(j.Since(0), func(e journal.Event) bool {
		return e.Seam == journal.SeamLog && strings.Contains(e.Message, "secret=***") && len(e.Leaks) == 1
	}) {
		t.Errorf("the journal has %v", j.Since(0))
	}
}

// TestEndpoint verifies that a path that cannot be a socket is an error.
func TestEndpoint(t *testing.T) {
	d, _ := newDriver(t, process.Options{Endpoint: "unix:///" + strings.Repeat("long/", 50) + "d.sock"})
	if err := d.Start(t.Context(), process.How{}); err == nil || fakedriver.ValidateEndpoint(d.Endpoint()) == nil {
		t.Errorf("Start() = %v", err)
	}
}
