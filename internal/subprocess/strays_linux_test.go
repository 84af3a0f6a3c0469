package subprocess

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/go-logr/logr"

	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestStray ends a command that has started a process in a session of its own, as a daemon does.
func TestStray(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("no setsid on this machine")
	}
	for name, end := range map[string]func(*Process){
		"Stop":  func(p *Process) { p.end() },
		"Crash": (*Process).Kill,
		// The guard reads the end of its input when this process has died.
		"Died": func(p *Process) { _ = errors.Join(p.program.group.leash.Close(), p.program.group.dog.Wait()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "id")
			p, err := newProcess("")
			if err != nil {
				t.Fatal(err)
			}
			const script = `setsid sh -c 'echo $$ >"$0.new" && mv "$0.new" "$0" && exec sleep 600' "$0" & wait`
			if err := p.run([]string{"sh", "-c", script, file}, inheritedEnvironment(), logr.Discard()); err != nil {
				t.Fatal(err)
			}
			var stray int
			harness.Eventually(t, "the stray", func(context.Context) error {
				id, err := os.ReadFile(file)
				if err == nil {
					stray, err = strconv.Atoi(string(bytes.TrimSpace(id)))
				}
				return err
			})
			end(p)
			_ = p.Start(t.Context()) // the error is about the end of the command
			harness.Eventually(t, "the end of the stray", func(context.Context) error {
				// A process that its parent has not reaped has no command line.
				if line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", stray)); len(line) > 0 {
					return fmt.Errorf("process %d runs: %q", stray, line)
				}
				return nil
			})
		})
	}
}

// TestGuardSparesNeighbor runs a process whose mark begins with the mark of a command that ends.
func TestGuardSparesNeighbor(t *testing.T) {
	t.Parallel()
	p, err := newProcess("")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.run([]string{"sleep", "600"}, inheritedEnvironment(), logr.Discard()); err != nil {
		t.Fatal(err)
	}
	neighbor := exec.CommandContext(t.Context(), "sleep", "600")
	neighbor.Env = append(inheritedEnvironment(), variableProcess+"="+MarkOf(p.dir+"1"))
	if err := neighbor.Start(); err != nil {
		t.Fatal(err)
	}
	_ = errors.Join(p.program.group.leash.Close(), p.program.group.dog.Wait()) // as if this process had died
	_ = p.Start(t.Context())
	if err := neighbor.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	_ = neighbor.Wait() // a signal ends it: the test's, unless the guard was first
	if status, ok := neighbor.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGTERM {
		t.Errorf("the neighbor has ended with %s, want the signal of this test", neighbor.ProcessState)
	}
}
