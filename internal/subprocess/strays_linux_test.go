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
		"Died": func(p *Process) { _ = errors.Join(p.group.leash.Close(), p.group.dog.Wait()) },
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
				// A process that nobody has waited for has no command line any more.
				if line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", stray)); len(line) > 0 {
					return fmt.Errorf("process %d runs: %q", stray, line)
				}
				return nil
			})
		})
	}
}
