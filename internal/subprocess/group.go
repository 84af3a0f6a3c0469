package subprocess

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"github.com/cosi-emu/cosi-emu/internal/osprocess"
)

// group is the process group of a command: its process, and those that it has started, for instance
// if the command is a script. A guard kills the group when this process dies, also by kill -9.
type group struct {
	mu    sync.Mutex
	id    int // 0 while it does not run
	dog   *exec.Cmd
	leash io.WriteCloser
}

// guardScript waits until its parent process reports the end of the group, or dies.
const guardScript = `read -r done || kill -s KILL -- "-$1" 2>/dev/null`

func (g *group) guard(id int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.id = id
	dog := exec.CommandContext(context.Background(), "/bin/sh", "-c", guardScript, "cosi-emu-guard", fmt.Sprint(id))
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
	return osprocess.SignalGroup(g.id, s)
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
