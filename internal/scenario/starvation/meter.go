package starvation

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Usage is the time for which threads ran, and waited for a processor.
type Usage struct{ Ran, Waited time.Duration }

// Since returns the usage since an earlier one.
func (u Usage) Since(before Usage) Usage { return Usage{u.Ran - before.Ran, u.Waited - before.Waited} }

// minUsage is the least significant usage.
const minUsage = 20 * time.Millisecond

// Share returns the part of the time in which runnable threads had to wait, from 0 to 1.
func (u Usage) Share() float64 {
	total := u.Ran + u.Waited
	if total < minUsage {
		return 0
	}
	return float64(u.Waited) / float64(total)
}

// otherProcesses doubles the measured waiting time: a driver that the user has started is not measured, and
// waits, too.
const otherProcesses = 2

// Lost estimates how much of a time was lost because runnable threads had to wait for a processor. The share
// of idle threads is no measure: the loss is at most their waiting time.
func (u Usage) Lost(elapsed time.Duration) time.Duration {
	return min(time.Duration(float64(elapsed)*u.Share()), otherProcesses*u.Waited)
}

// Starved reports whether half of a time was lost.
func (u Usage) Starved(elapsed time.Duration) bool { return u.Lost(elapsed) >= elapsed/2 }

// maxAge is the maximum age of the figures that Read returns: reading all threads takes a
// millisecond.
const maxAge = 200 * time.Millisecond

// Meter adds up the usage of this process and its children, which are the programs of the control
// plane. It is safe for concurrent use. The zero value is usable.
type Meter struct {
	proc string // "/proc" unless a test sets it

	mu      sync.Mutex
	threads map[string]Usage // by file; nil before the first reading
	total   Usage
	read    time.Time
}

// Read returns the usage since the first call.
func (m *Meter) Read() Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	if time.Since(m.read) < maxAge {
		return m.total
	}
	now := map[string]Usage{}
	for _, file := range m.files() {
		usage, ok := parse(file)
		if !ok {
			continue // the thread has ended
		}
		now[file] = usage
		if grown := usage.Since(m.threads[file]); m.threads != nil && grown.Ran >= 0 && grown.Waited >= 0 {
			m.total.Ran += grown.Ran
			m.total.Waited += grown.Waited
		}
	}
	m.threads, m.read = now, time.Now()
	return m.total
}

func (m *Meter) files() []string {
	root := m.proc
	if root == "" {
		root = "/proc"
	}
	var files []string
	for _, pid := range append(children(root), "self") {
		threads, _ := filepath.Glob(filepath.Join(root, pid, "task", "*", "schedstat")) // the pattern is valid
		files = append(files, threads...)
	}
	return files
}

// children returns the child processes.
func children(root string) []string {
	var all []string
	lists, _ := filepath.Glob(filepath.Join(root, "self", "task", "*", "children")) // the pattern is valid
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err == nil {
			all = append(all, strings.Fields(string(text))...)
		}
	}
	return all
}

func parse(file string) (Usage, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return Usage{}, false
	}
	var ran, waited int64
	if _, err := fmt.Sscan(string(text), &ran, &waited); err != nil {
		return Usage{}, false
	}
	return Usage{time.Duration(ran), time.Duration(waited)}, true
}
