//go:build unix

package envtest_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries/binariestest"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/envtest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

const (
	victimVariable = "COSI_EMU_TEST_VICTIM"
	keepVariable   = "COSI_EMU_TEST_KEEP"
)

// beVictim makes this test binary a victim instead of testing: it starts a control plane in dir,
// prints its state, and waits.
func beVictim(dir string) {
	ctx := context.Background()
	set, err := binaries.Find(ctx, binaries.Options{Local: true})
	if err != nil {
		panic(err)
	}
	_, err = envtest.Start(ctx, controlplane.Options{
		Binaries: set, Dir: dir, KeepData: os.Getenv(keepVariable) != "",
		Phase: func(p controlplane.Phase) {
			if !p.Done {
				say(p.Name)
			}
		},
	})
	if err != nil {
		panic(err)
	}
	say("up")
	select {}
}

func say(word string) {
	if _, err := fmt.Fprintln(os.Stdout, word); err != nil {
		panic(err)
	}
}

func TestProgramsKillLeavesNothing(t *testing.T) { killLeavesNothing(t, "up") }

// TestLongKillLeavesNothing kills the owner in each phase of the start.
func TestLongKillLeavesNothing(t *testing.T) {
	killLeavesNothing(t, "etcd", "kube-apiserver", "kube-controller-manager")
}

func killLeavesNothing(t *testing.T, phases ...string) {
	t.Helper()
	binariestest.Find(t)
	for _, when := range phases {
		t.Run(when, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "cp")
			killVictim(t, dir, when)
			harness.Until(t, "no process is left", func(context.Context) (bool, error) { return len(harness.Processes(t, dir)) == 0, nil })
			if _, err := os.Stat(dir); !os.IsNotExist(err) {
				t.Errorf("the directory is there after the kill: %v", err)
			}
		})
	}
}

// TestProgramsKilledDataIsKept also kills the watchdog, so that the next start finds running
// components.
func TestProgramsKilledDataIsKept(t *testing.T) {
	binariestest.Find(t)
	t.Setenv(keepVariable, "yes")
	dir := t.TempDir()
	killVictim(t, dir, "up", "cosi-emu-watchdog "+dir)
	if len(harness.Processes(t, dir)) == 0 {
		t.Fatal("no process outlived its owner, so that there is nothing to test")
	}
	c := start(t, controlplane.Options{Dir: dir, KeepData: true})
	if err := envtest.EndOrphans(testContext(t), dir); !errors.Is(err, controlplane.ErrDirInUse) {
		t.Errorf("end the processes of a control plane that runs: got %v", err)
	}
	if _, err := client(t, c).Discovery().ServerVersion(); err != nil {
		t.Error(err)
	}
	stop(t, c)
	if left := harness.Processes(t, dir); len(left) > 0 {
		t.Errorf("processes after Stop: %v", left)
	}
}

func TestProgramsEndOrphans(t *testing.T) {
	binariestest.Find(t)
	dir := filepath.Join(t.TempDir(), "cp")
	if err := envtest.EndOrphans(testContext(t), dir); err != nil {
		t.Errorf("no directory: %v", err)
	}
	killVictim(t, dir, "up", "cosi-emu-watchdog "+dir)
	if err := envtest.EndOrphans(testContext(t), dir); err != nil {
		t.Error(err)
	}
	if left := harness.Processes(t, dir); len(left) > 0 {
		t.Errorf("processes: %v", left)
	}
}

// killVictim runs a victim in dir until it has printed a word, then kills it, after the processes
// whose command line contains one of others.
func killVictim(t *testing.T, dir, word string, others ...string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(testContext(t), self)
	cmd.Env = append(os.Environ(), victimVariable+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != word; {
	}
	for _, other := range others {
		for _, line := range harness.Processes(t, other) {
			kill(t, line)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
}

func kill(t *testing.T, line string) {
	t.Helper()
	var pid int
	if _, err := fmt.Sscan(line, &pid); err != nil {
		t.Fatal(err)
	}
	process, err := os.FindProcess(pid)
	if err == nil {
		err = process.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
}
