package main_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	main "github.com/cosi-emu/cosi-emu/cmd/cosi-emu"
	"github.com/cosi-emu/cosi-emu/internal/osprocess"
)

// The tests of this package run the real program, as users do: on the embedded control plane,
// unless controlplanetest.Variable selects another, or the test is about processes.

// lab is the directory of this run: the program, and a home for each test. Its path is short,
// because it contains UNIX sockets.
var lab string

// programName is the name of the program. Under that name, this test binary is the program, so that
// nothing is linked twice.
const programName = "cosi-emu"

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == programName {
		os.Exit(main.Run())
	}
	flag.Parse()
	ctrl.SetLogger(logr.Discard()) // without a logger it would only warn
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func runTests(m *testing.M) (code int, err error) {
	if testing.Short() {
		return m.Run(), nil
	}
	if lab, err = os.MkdirTemp("", "ce-"); err != nil {
		return 0, err
	}
	janitor, err := startJanitor(lab)
	if err != nil {
		return 0, err
	}
	defer func() {
		if left := janitor(); err == nil {
			err = left
		}
	}()
	if err := installProgram(filepath.Join(lab, programName)); err != nil {
		return 0, fmt.Errorf("install the program: %w", err)
	}
	return m.Run(), nil
}

// installProgram copies this test binary to a path. The homes of tests have links to the copy.
func installProgram(path string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	from, err := os.Open(self)
	if err != nil {
		return err
	}
	defer from.Close() //nolint:errcheck // it is only read
	to, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}

// janitorScript waits until the tests have ended, however they end, and stops their remaining
// processes.
const janitorScript = `
trap '' HUP INT TERM
cat >/dev/null
for home in "$1"/*/state; do
	[ -d "$home" ] || continue
	XDG_STATE_HOME=$home "$1/cosi-emu" down --all --timeout 10s ||
		XDG_STATE_HOME=$home "$1/cosi-emu" down --all
done >/dev/null 2>&1
rm -rf "$1"
`

// startJanitor starts the janitor and returns the function that triggers it. It is a process of its
// own, so that it also works after a `kill -9`.
func startJanitor(dir string) (func() error, error) {
	cmd := exec.CommandContext(context.Background(), "/bin/sh", "-c", janitorScript, "janitor", dir)
	cmd.Dir = "/"
	cmd.SysProcAttr = osprocess.OwnGroup()
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() error { return finish(pipe, cmd) }, nil
}

func finish(pipe io.Closer, cmd *exec.Cmd) error {
	if err := pipe.Close(); err != nil {
		return err
	}
	return cmd.Wait()
}
