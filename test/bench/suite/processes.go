package suite

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// processTable has the processes of this machine by their IDs.
type processTable map[int]process

// process is a process and its resident memory in bytes.
type process struct{ parent, memory int }

// memory returns the resident memory of a process.
func (t processTable) memory(pid int) (int, error) {
	p, found := t[pid]
	if !found {
		return 0, fmt.Errorf("there is no process %d", pid)
	}
	return p.memory, nil
}

// memoryOfAll returns the resident memory of a process and its descendants.
func (t processTable) memoryOfAll(pid int) (int, error) {
	sum, err := t.memory(pid)
	if err != nil {
		return 0, err
	}
	for child, p := range t {
		if p.parent != pid || child == pid {
			continue
		}
		memory, err := t.memoryOfAll(child)
		if err != nil {
			return 0, err
		}
		sum += memory
	}
	return sum, nil
}

// processes returns the processes of this machine.
func processes(ctx context.Context) (processTable, error) {
	if runtime.GOOS == "linux" {
		return readProc("/proc")
	}
	out, err := exec.CommandContext(ctx, "ps", "-A", "-o", "pid=,ppid=,rss=").Output()
	if err != nil {
		return nil, fmt.Errorf("ask ps for the memory of processes: %w", err)
	}
	return parsePS(string(out))
}

func parsePS(out string) (processTable, error) {
	table := processTable{}
	for line := range strings.Lines(out) {
		var pid, parent, kilobytes int
		if _, err := fmt.Sscan(line, &pid, &parent, &kilobytes); err != nil {
			return nil, fmt.Errorf("ps prints %q: %w", line, err)
		}
		table[pid] = process{parent: parent, memory: kilobytes << 10}
	}
	return table, nil
}

// readProc reads Linux's directory of processes.
func readProc(dir string) (processTable, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	table := processTable{}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue // not a process
		}
		data, err := os.ReadFile(filepath.Join(dir, entry.Name(), "stat"))
		if err != nil {
			continue // it has ended, or belongs to another user
		}
		if table[pid], err = parseStat(data); err != nil {
			return nil, fmt.Errorf("process %d: %w", pid, err)
		}
	}
	return table, nil
}

// Positions in /proc/PID/stat, after the name of the program.
const (
	statParent = 1
	statPages  = 21
)

// parseStat reads a file /proc/PID/stat. The name of the program is in parentheses, and may
// itself contain some.
func parseStat(data []byte) (process, error) {
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) <= statPages {
		return process{}, fmt.Errorf("its state has too few numbers: %q", data)
	}
	parent, err := strconv.Atoi(fields[statParent])
	if err != nil {
		return process{}, err
	}
	pages, err := strconv.Atoi(fields[statPages])
	return process{parent: parent, memory: pages * os.Getpagesize()}, err
}
