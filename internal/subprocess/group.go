package subprocess

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/cosi-emu/cosi-emu/internal/osprocess"
)

// group is the process group of a command: its process, and those that it has started, for instance
// if the command is a script. It includes those that have left it, which their environment marks. A guard
// kills the group when this process dies, also by kill -9.
type group struct {
	mu    sync.Mutex
	id    int // 0 while it does not run
	mark  string
	dog   *exec.Cmd
	leash io.WriteCloser
}

// variableProcess marks the processes of a command in their environment.
const variableProcess = "COSI_EMU_PROCESS"

// guardScript waits until its parent process reports the end of the group, or dies. A process may fork
// between two looks at the list of processes.
const guardScript = `
end() { grep -qF "$1" "$2/environ" 2>/dev/null && kill -s KILL "${2#/proc/}" 2>/dev/null; }
look() { for process in /proc/[0-9]*; do end "$1" "$process"; done; }
read -r ended && exit
kill -s KILL -- "-$1" 2>/dev/null
look "$2"; look "$2"; look "$2"
`

func (g *group) guard(id int, mark string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.id, g.mark = id, mark
	dog := exec.CommandContext(context.Background(), "/bin/sh", "-c", guardScript, "cosi-emu-guard",
		fmt.Sprint(id), variableProcess+"="+mark)
	dog.Dir = "/"
	// A terminal sends its interrupt to the process group, but the guard must continue.
	dog.SysProcAttr = osprocess.OwnGroup()
	leash, err := dog.StdinPipe()
	if err == nil {
		err = dog.Start()
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // without a shell, as in a container, the process is no script: attributes suffice
	}
	if err != nil {
		return fmt.Errorf("start the guard of a process: %w", err)
	}
	g.dog, g.leash = dog, leash
	return nil
}

// signal sends a signal to all processes of the group.
func (g *group) signal(s syscall.Signal) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.id == 0 {
		return os.ErrProcessDone
	}
	err := osprocess.SignalGroup(g.id, s)
	if signalStrays(g.id, g.mark, s) && errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

func (g *group) end() error {
	if err := g.signal(syscall.SIGKILL); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill a process group: %w", err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.id = 0
	if g.dog == nil {
		return nil
	}
	_, err := io.WriteString(g.leash, "done\n")
	err = errors.Join(err, g.leash.Close(), g.dog.Wait())
	g.dog = nil
	return err
}

// MarkOf returns the mark of the processes of a command, which has a directory of its own. No mark begins with
// another one.
func MarkOf(dir string) string { return filepath.Base(dir) + "." }
