package realcluster

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/cosi-emu/cosi-emu/test/realcluster/isolation"
)

// Crash kills all programs of the node, and all its containers, as the end of a machine does.
func (n *Node) Crash() error {
	err := n.Kill()
	shims, shimErr := processesWith("-address\x00" + n.socket())
	containers, containerErr := processesIn(isolation.NodeProcesses(n.number))
	err = errors.Join(err, shimErr, containerErr)
	for _, pid := range append(shims, containers...) {
		if killErr := syscall.Kill(pid, syscall.SIGKILL); !errors.Is(killErr, syscall.ESRCH) {
			err = errors.Join(err, killErr)
		}
	}
	return err
}

// processesWith returns the processes whose arguments contain a text.
func processesWith(text string) ([]int, error) {
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	var pids []int
	for _, file := range files {
		arguments, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(arguments, []byte(text)) {
			continue // it may have ended
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			return nil, err
		}
		pids = append(pids, pid)
	}
	return pids, err
}

// processesIn returns the processes of a cgroup and its descendants.
func processesIn(dir string) ([]int, error) {
	var pids []int
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it was removed meanwhile
		}
		if err != nil || entry.Name() != "cgroup.procs" {
			return err
		}
		text, err := os.ReadFile(path) //nolint:gosec // cgroups have no symbolic links
		for line := range strings.FieldsSeq(string(text)) {
			if pid, err := strconv.Atoi(line); err == nil {
				pids = append(pids, pid)
			}
		}
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENODEV) {
			return nil
		}
		return err
	})
	return pids, err
}
