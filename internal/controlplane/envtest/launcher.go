//go:build unix

package envtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

// A script starts a component: it writes its process ID to a file and then executes the component.
// envtest does not return the ID, and the clean-up needs it after this process has died.
//
// It runs in a directory that only this user can enter, where etcd has its sockets.
//
// The file "orphaned" prevents a race. The watchdog creates it before it reads the IDs, and the
// script writes its ID before it checks for the file. So in every order, one of them sees the
// other's file.
const launcherScript = `#!/bin/sh
# Starts %[1]s such that it can be found and ended.
umask 077
cd %[6]s || exit 1
echo $$ >%[2]s || exit 1
[ ! -e %[3]s ] || exit 1
%[5]sexec %[4]s "$@"
`

func (l layout) writeLauncher(component, program string, opts controlplane.Options) error {
	environment := ""
	if opts.GCPercent > 0 {
		environment += fmt.Sprintf("export GOGC=%d\n", opts.GCPercent)
	}
	if opts.Processors > 0 {
		environment += fmt.Sprintf("export GOMAXPROCS=%d\n", opts.Processors)
	}
	script := fmt.Sprintf(launcherScript, component,
		quote(l.pid(component)), quote(filepath.Join(l.run(), orphanedName)), quote(program), environment, quote(l.run()))
	// A program cannot be executed while a process has it open for writing. A process that is
	// forked now has our open files until its exec.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(l.launcher(component), []byte(script), 0o700) //nolint:gosec // a program
}

func quote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

func readPID(file string) (*os.Process, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return os.FindProcess(pid)
}
