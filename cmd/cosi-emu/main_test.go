package main_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/cosi-emu/cosi-emu/internal/osprocess"
)

// The tests of this package run the real program, as users do: on the embedded control
// plane, unless controlplanetest.Variable selects another, or the test is about processes.

// lab is the directory of this run: the program, and a home for each test. Its
// path is short, because there are UNIX sockets in it.
var lab string

func TestMain(m *testing.M) {
	flag.Parse()
	ctrl.SetLogger(logr.Discard()) // its complaint that there is none would be all it says
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
	build := exec.CommandContext(context.Background(), "go", "build", "-o", filepath.Join(lab, "cosi-emu"), ".")
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return m.Run(), nil
}

// janitorScript waits until the tests have ended, in whatever way, and stops
// what they have left running.
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

// startJanitor starts the janitor and returns the function that sets it to work.
// It is a process of its own, so that it also works after a `kill -9`.
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
