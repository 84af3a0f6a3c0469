package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries/binariestest"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
	"github.com/cosi-emu/cosi-emu/internal/instance"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// home has all files of a user's program, whose processes have its path in their command lines.
type home struct {
	t    *testing.T
	kind kind.Kind // of control planes
	dir  string
	env  []string
}

// newHome makes a home. When the test ends, it stops the home's processes, and fails if anything
// remains.
func newHome(t *testing.T) *home {
	t.Helper()
	plane, err := controlplanetest.Kind()
	if err != nil {
		t.Fatal(err)
	}
	return newHomeOn(t, plane)
}

// newHomeWithPrograms makes a home whose emulators run kube-apiserver and etcd, for tests of these
// processes, and for tests in which the real API server is the judge.
func newHomeWithPrograms(t *testing.T) *home {
	t.Helper()
	binariestest.Find(t)
	return newHomeOn(t, kind.Envtest)
}

func newHomeOn(t *testing.T, plane kind.Kind) *home {
	t.Helper()
	if testing.Short() {
		t.Skip("it needs a control plane")
	}
	dir, err := os.MkdirTemp(lab, "") //nolint:usetesting // the path of t.TempDir is too long for sockets
	if err != nil {
		t.Fatal(err)
	}
	h := &home{t: t, kind: plane, dir: dir}
	for _, name := range []string{"state", "tmp"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(filepath.Join(lab, programName), h.program()); err != nil {
		t.Fatal(err)
	}
	h.env = append(slices.DeleteFunc(os.Environ(), isOurs), controlPlaneVariable+"="+string(plane),
		"XDG_STATE_HOME="+filepath.Join(dir, "state"), "TMPDIR="+filepath.Join(dir, "tmp"))
	t.Cleanup(h.leave)
	return h
}

// isOurs reports whether an environment variable affects the program.
func isOurs(variable string) bool {
	for _, prefix := range []string{"COSI_", "AWS_", "KUBECONFIG=", "XDG_STATE_HOME=", "TMPDIR="} {
		if strings.HasPrefix(variable, prefix) {
			return true
		}
	}
	return false
}

func (h *home) program() string { return filepath.Join(h.dir, programName) }

// leave stops running emulators, and expects that nothing remains.
func (h *home) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), harness.Timeout)
	defer cancel()
	if out, err := h.command(ctx, "down", "--all").CombinedOutput(); err != nil {
		h.t.Errorf("down --all: %v\n%s", err, out)
	}
	h.expectNothingLeft()
	if err := os.RemoveAll(h.dir); err != nil {
		h.t.Error(err)
	}
}

func (h *home) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, h.program(), args...)
	cmd.Env = h.env
	cmd.Dir = h.dir
	cmd.WaitDelay = waitDelay
	return cmd
}

// waitDelay is the time for a command to exit at the end of a test.
const waitDelay = 5 * time.Second

// result is the output of a command, and its exit code.
type result struct {
	out, err string
	code     int
}

func (h *home) run(args ...string) result {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), harness.Timeout)
	defer cancel()
	return h.result(h.command(ctx, args...), "cosi-emu "+strings.Join(args, " "))
}

// paste runs a command that the program has printed.
func (h *home) paste(command string) result {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), harness.Timeout)
	defer cancel()
	shell := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	shell.Dir, shell.Env, shell.WaitDelay = h.dir, h.env, waitDelay
	return h.result(shell, command)
}

// result runs a command to its end.
func (h *home) result(cmd *exec.Cmd, shown string) result {
	h.t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || exit.ExitCode() < 0) {
		h.t.Fatalf("%s: %v\n%s", shown, err, errs.String())
	}
	if mistake := harness.GrammarMistake(out.String() + errs.String()); mistake != "" {
		h.t.Errorf("%s prints %q:\n%s%s", shown, mistake, out.String(), errs.String())
	}
	return result{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

func (h *home) must(args ...string) string {
	h.t.Helper()
	r := h.run(args...)
	if r.code != 0 {
		h.t.Fatalf("cosi-emu %s: exit code %d\n%s", strings.Join(args, " "), r.code, r.err)
	}
	return r.out
}

func (h *home) up(args ...string) instance.Info {
	h.t.Helper()
	return h.info(append([]string{"up", "-d", "-o", "json"}, args...)...)
}

func (h *home) info(args ...string) instance.Info {
	h.t.Helper()
	var info instance.Info
	out := h.must(args...)
	if err := json.Unmarshal([]byte(out), &info); err != nil {
		h.t.Fatalf("cosi-emu %s: %v in\n%s", strings.Join(args, " "), err, out)
	}
	return info
}

// expectNothingLeft expects that no process and no file remains.
func (h *home) expectNothingLeft() {
	h.t.Helper()
	if left := harness.Processes(h.t, h.dir); len(left) > 0 {
		h.t.Errorf("processes are left:\n%s", strings.Join(left, "\n"))
	}
	if left := h.files(); len(left) > 0 {
		h.t.Errorf("files are left: %v", left)
	}
}

// controlPlaneVariable sets the flag --control-plane of all commands.
const controlPlaneVariable = "COSI_EMU_CONTROL_PLANE"

// setTraps replaces the programs of the control plane by scripts that write a file when they run,
// for expectNothingStarted.
func (h *home) setTraps() {
	h.t.Helper()
	dir := filepath.Join(h.dir, "traps")
	if err := os.Mkdir(dir, 0o700); err != nil {
		h.t.Fatal(err)
	}
	for _, program := range []string{"etcd", "kube-apiserver", "kube-controller-manager"} {
		script := "#!/bin/sh\ntouch " + filepath.Join(dir, "started-"+program) + "\n"
		if err := os.WriteFile(filepath.Join(dir, program), []byte(script), 0o700); err != nil {
			h.t.Fatal(err)
		}
	}
	h.env = append(h.env, "KUBEBUILDER_ASSETS="+dir, controlPlaneVariable+"="+string(kind.Auto))
}

// started returns the files of the programs that ran since setTraps.
func (h *home) started() []string {
	h.t.Helper()
	started, err := filepath.Glob(filepath.Join(h.dir, "traps", "started-*"))
	if err != nil {
		h.t.Fatal(err)
	}
	return started
}

// expectNothingStarted expects that no program of the control plane was started since setTraps,
// even one that has exited, and that nothing else remains.
func (h *home) expectNothingStarted() {
	h.t.Helper()
	if started := h.started(); len(started) > 0 {
		h.t.Errorf("programs were started: %v", started)
	}
	h.expectNothingLeft()
}

// files returns all files of the program below the home, except empty directories that all
// emulators share.
func (h *home) files() []string {
	h.t.Helper()
	var files []string
	for _, dir := range []string{"state", "tmp"} {
		err := filepath.WalkDir(filepath.Join(h.dir, dir), func(path string, _ fs.DirEntry, err error) error {
			if rel, _ := filepath.Rel(h.dir, path); rel != dir && rel != filepath.Join("state", "cosi-emu") {
				files = append(files, rel)
			}
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			h.t.Error(err)
		}
	}
	return files
}
