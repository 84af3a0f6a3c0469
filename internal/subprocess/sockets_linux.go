package subprocess

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// listening returns the known paths of the UNIX sockets at which the processes of the group listen.
// It is for error messages.
func (g *group) listening() []string {
	g.mu.Lock()
	id := g.id
	g.mu.Unlock()
	if id == 0 {
		return nil
	}
	sockets := listeningSockets()
	var paths []string
	for _, process := range membersOf(id) {
		files, _ := filepath.Glob(filepath.Join(process, "fd", "*")) // the pattern is valid
		for _, file := range files {
			target, err := os.Readlink(file)
			if path := sockets[strings.TrimSuffix(strings.TrimPrefix(target, "socket:["), "]")]; err == nil && path != "" {
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// listeningSockets returns the paths of all listening sockets by their inodes.
func listeningSockets() map[string]string {
	const (
		flags, inode, path = 3, 6, 7
		accepts            = "00010000"
	)
	table, _ := os.ReadFile("/proc/net/unix") // without it, nothing is known
	sockets := map[string]string{}
	for line := range strings.Lines(string(table)) {
		if fields := strings.Fields(line); len(fields) > path && fields[flags] == accepts {
			sockets[fields[inode]] = fields[path]
		}
	}
	return sockets
}

func membersOf(group int) []string {
	processes, _ := filepath.Glob("/proc/[0-9]*") // the pattern is valid
	return slices.DeleteFunc(processes, func(dir string) bool {
		// After the name, which is in brackets: state, parent, group.
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		after := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		return err != nil || len(after) < 3 || after[2] != strconv.Itoa(group)
	})
}
