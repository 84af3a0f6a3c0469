package main_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries/binariestest"
	"github.com/cosi-emu/cosi-emu/internal/instance"
	"github.com/cosi-emu/cosi-emu/internal/osprocess"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// programDir makes a directory of links to the control plane's programs, in which a test may
// replace one.
func (h *home) programDir() string {
	h.t.Helper()
	set := binariestest.Find(h.t)
	dir, err := os.MkdirTemp(h.dir, "programs-")
	if err != nil {
		h.t.Fatal(err)
	}
	for _, program := range []string{set.Etcd, set.APIServer, set.ControllerManager} {
		if program == "" {
			continue
		}
		if err := os.Symlink(program, filepath.Join(dir, filepath.Base(program))); err != nil {
			h.t.Fatal(err)
		}
	}
	return dir
}

func TestProgramsForeground(t *testing.T) {
	t.Parallel()
	h := newHomeWithPrograms(t)
	h.env = append(h.env, "KUBEBUILDER_ASSETS="+h.programDir())
	up := h.start("up", "--name", "front")
	up.waitFor("down --name front")

	again := h.run("up", "--name", "front")
	if again.code != 1 || !strings.Contains(again.err, "already running") {
		t.Errorf("a second emulator of the same name: exit code %d, %s", again.code, again.err)
	}
	up.signal(os.Interrupt)
	if code := up.wait(); code != 0 {
		t.Errorf("exit code %d after Ctrl-C: %s", code, up.err.String())
	}
	h.expectNothingLeft()
}

func TestProgramsInterruptedStart(t *testing.T) {
	t.Parallel()
	h := newHomeWithPrograms(t)
	for _, args := range [][]string{{"up"}, {"up", "-d"}} {
		up := h.start(args...)
		harness.Until(t, "etcd is running", func(context.Context) (bool, error) {
			return strings.Contains(up.err.String(), "etcd"), nil
		})
		up.signal(os.Interrupt)
		if code := up.wait(); code != 1 || !strings.Contains(up.err.String(), "interrupt") && !strings.Contains(up.err.String(), "terminated") {
			t.Errorf("%v: exit code %d, and says: %s", args, code, up.err.String())
		}
		h.expectNothingLeft()
	}
}

// TestProgramsComponentDies kills a process that the emulator requires.
func TestProgramsComponentDies(t *testing.T) {
	t.Parallel()
	h := newHomeWithPrograms(t)
	up := h.start("up")
	up.waitFor("Ctrl-C")
	kill(t, component(t, h.info("status", "-o", "json"), "etcd").PID)
	if code := up.wait(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{"Error: etcd ended unexpectedly", "The last lines of its log:"} {
		if !strings.Contains(up.err.String(), want) {
			t.Errorf("it does not say %q, but: %s", want, up.err.String())
		}
	}
	h.expectNothingLeft()
}

func component(t *testing.T, info instance.Info, name string) emulator.ComponentInfo {
	t.Helper()
	for _, c := range info.Components {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("there is no component %s in %v", name, info.Components)
	return emulator.ComponentInfo{}
}

// TestProgramsKill kills emulators, and runs others beside and after them.
func TestProgramsKill(t *testing.T) {
	t.Parallel()
	h := newHomeWithPrograms(t)
	killed, beside := h.up(), h.up("--name", "beside")
	h.killEmulator(killed)
	if gone := h.run("status"); gone.code != 1 || !strings.Contains(gone.err, "add --name beside") {
		t.Errorf("status of a killed emulator: exit code %d, %s", gone.code, gone.err)
	}
	if got := h.info("status", "--name", "beside", "-o", "json").PID; got != beside.PID {
		t.Errorf("the emulator beside has process %d, and had %d", got, beside.PID)
	}
	connect(t, beside.Kubeconfig).quickstart()

	next := h.up()
	connect(t, next.Kubeconfig).quickstart()
	h.killEmulator(next)
	for range 2 {
		if out := h.must("down"); !strings.Contains(out, "not running") {
			t.Errorf("down of a killed emulator says %s", out)
		}
	}
	if _, err := os.Stat(next.Dir); !os.IsNotExist(err) {
		t.Errorf("down has left the files of a killed emulator: %v", err)
	}
	if out := h.must("down", "--all"); !strings.Contains(out, `"beside" is stopped`) {
		t.Errorf("down --all says %s", out)
	}
	h.expectNothingLeft()
}

// killEmulator ends an emulator as kill -9 does, and waits until its processes have noticed.
func (h *home) killEmulator(info instance.Info) {
	h.t.Helper()
	if err := osprocess.Signal(info.PID, syscall.SIGKILL); err != nil {
		h.t.Fatal(err)
	}
	plane := filepath.Join(info.Dir, "controlplane")
	if info.DataDir != "" {
		plane = filepath.Join(info.DataDir, "controlplane")
	}
	harness.Until(h.t, "the processes of a killed emulator end", func(context.Context) (bool, error) {
		return len(harness.Processes(h.t, plane)) == 0, nil
	})
	harness.Until(h.t, "a killed emulator ends", func(context.Context) (bool, error) {
		return h.run("status", "--name", info.Name).code != 0, nil
	})
}
