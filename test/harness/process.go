package harness

import (
	"bytes"
	"context"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Processes returns the processes whose command line contains a text, as ps
// shows them: its number, then its command line.
func Processes(tb testing.TB, text string) []string {
	tb.Helper()
	out, err := exec.CommandContext(context.WithoutCancel(tb.Context()), "ps", "-ww", "-e", "-o", "pid=,command=").Output()
	if err != nil {
		tb.Fatalf("list processes: %v", err)
	}
	lines := strings.Split(string(out), "\n")
	return slices.DeleteFunc(lines, func(line string) bool { return !strings.Contains(line, text) })
}

// Buffer is a buffer that can be read while it is written.
type Buffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

// Write appends to the buffer.
func (b *Buffer) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(data)
}

// String returns all that was written so far.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}
