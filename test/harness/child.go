package harness

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
)

// childDir is the variable with the directory of a child.
const childDir = "COSI_EMU_TEST_CHILD_DIR"

// ChildDir returns the directory for a test that StartChild runs. Otherwise it skips the test.
func ChildDir(tb testing.TB) string {
	tb.Helper()
	dir := os.Getenv(childDir)
	if dir == "" {
		tb.Skip("only of use to a test that kills it")
	}
	return dir
}

// Tell prints a line of a child in one piece: it is read even if the process is killed then.
func Tell(tb testing.TB, line string) {
	tb.Helper()
	if _, err := os.Stdout.WriteString(line + "\n"); err != nil {
		tb.Fatal(err)
	}
}

// Child is a test of this program in a process of its own. Its methods are safe for concurrent use.
type Child struct {
	// Greeting is the first line that the process has printed, and Lines has the others.
	Greeting string
	Lines    *bufio.Scanner

	cmd    *exec.Cmd
	killed atomic.Bool
}

// StartChild runs a test with a directory, and waits for its first line. Wait must be called. The
// test is skipped with -short: unit tests start no process.
func StartChild(tb testing.TB, test, dir string) *Child {
	tb.Helper()
	if testing.Short() {
		tb.Skip("it starts a process")
	}
	c := &Child{cmd: exec.CommandContext(tb.Context(), os.Args[0], "-test.run=^"+test+"$")} //nolint:gosec // this very program
	c.cmd.Env = append(os.Environ(), childDir+"="+dir)
	c.cmd.Stderr = os.Stderr
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	c.Lines = bufio.NewScanner(out)
	if !c.Lines.Scan() {
		tb.Fatalf("the process has ended: %v", errors.Join(c.Lines.Err(), c.cmd.Wait()))
	}
	c.Greeting = c.Lines.Text()
	return c
}

// Kill kills the process, if it was not killed before.
func (c *Child) Kill(tb testing.TB) {
	tb.Helper()
	if c.killed.Swap(true) {
		return
	}
	if err := c.cmd.Process.Kill(); err != nil {
		tb.Error(err)
	}
}

// IsKilled reports whether Kill was called: from then on, requests may fail.
func (c *Child) IsKilled() bool { return c.killed.Load() }

// UseAndKill has clients send requests at the same time, and kills the process when so many
// requests were acknowledged. A client sends one, and reports whether it was acknowledged. It
// is done when one was not, which is an error before the process is killed.
func (c *Child) UseAndKill(tb testing.TB, enough int64, clients ...func() bool) {
	tb.Helper()
	var acknowledged atomic.Int64
	var busy sync.WaitGroup
	for i, request := range clients {
		busy.Go(func() {
			for request() {
				if acknowledged.Add(1) == enough {
					c.Kill(tb)
				}
			}
			if !c.IsKilled() {
				tb.Errorf("client %d: a request failed before the process was killed", i)
			}
		})
	}
	busy.Wait()
	if got := acknowledged.Load(); got < enough {
		tb.Errorf("only %d of %d requests were acknowledged", got, enough)
	}
	c.Kill(tb)
}

// Wait waits for the end of the process, which was killed, and reads its output.
func (c *Child) Wait() {
	for c.Lines.Scan() {
		continue
	}
	_ = c.cmd.Wait() // it was killed
}
