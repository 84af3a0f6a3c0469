package controlplane_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator/controlplane"
)

// mentioning returns the processes whose command line contains text, as ps shows
// them. A process that has ended and was not waited for has no command line.
func mentioning(tb testing.TB, text string) []string {
	tb.Helper()
	out, err := exec.CommandContext(testContext(tb), "ps", "-ww", "-e", "-o", "pid=,command=").Output()
	if err != nil {
		tb.Fatalf("list processes: %v", err)
	}
	return slices.DeleteFunc(strings.Split(string(out), "\n"), func(line string) bool {
		return !strings.Contains(line, text)
	})
}

func pid(tb testing.TB, c *controlplane.ControlPlane, name string) int {
	tb.Helper()
	for _, process := range c.Processes() {
		if process.Name == name {
			return process.PID
		}
	}
	tb.Fatalf("no process %s in %v", name, c.Processes())
	return 0
}
