package main_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// step is a command of a page's session, with the text below it.
type step struct {
	command string
	output  []string
}

// fails reports whether the page shows that the command fails.
func (s step) fails() bool {
	output := strings.Join(s.output, "\n")
	return strings.Contains(output, "An error occurred") || strings.Contains(output, "FAILED: ")
}

func columns(lines []string) [][]string {
	var headers [][]string
	for _, line := range lines {
		if strings.HasPrefix(line, "NAME ") || strings.HasPrefix(line, "OUTCOME ") {
			headers = append(headers, strings.Fields(line))
		}
	}
	return headers
}

func session(page string) []step {
	var steps []step
	inside := false
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		command, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```console"
		case inside && isCommand:
			steps = append(steps, step{command: command})
		case inside && len(steps) > 0:
			last := &steps[len(steps)-1]
			last.output = append(last.output, line)
		}
	}
	return steps
}

// TestReadme runs the session of the README, and TestV1alpha1Page the session of docs/v1alpha1.md.
func TestReadme(t *testing.T) { runSession(t, "README.md", 10) }

// TestOperationsPage runs the session of docs/operations.md.
func TestOperationsPage(t *testing.T) { runSession(t, "docs/operations.md", 4) }

// TestStoragePage runs the session of docs/storage.md.
func TestStoragePage(t *testing.T) { runSession(t, "docs/storage.md", 8) }

// TestMigratingPage runs the rehearsal of docs/migrating.md.
func TestMigratingPage(t *testing.T) {
	if _, err := exec.LookPath("kubectl"); err != nil {
		t.Skip("the objects of its session are created with kubectl")
	}
	runSession(t, "docs/migrating.md", 15)
}

func TestV1alpha1Page(t *testing.T) {
	if _, err := exec.LookPath("kubectl"); err != nil {
		t.Skip("the objects of its session are created with kubectl")
	}
	runSession(t, "docs/v1alpha1.md", 10)
}

// runSession runs the session of a page exactly as written, in one shell. It skips commands of
// programs that this machine lacks: the project requires only Go and git.
func runSession(t *testing.T, page string, least int) {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts an emulator")
	}
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(page)))
	if err != nil {
		t.Fatal(err)
	}
	steps := session(string(text))
	if len(steps) < least {
		t.Fatalf("%s has %d commands; the test reads it wrongly", page, len(steps))
	}
	shell := newShell(t)
	ran := 0
	for _, s := range steps {
		if program := missing(s.command); program != "" {
			t.Logf("not run, %s is not on this machine: %s", program, s.command)
			continue
		}
		ran++
		output, err := shell.run(t, s.command)
		if (err != nil) != s.fails() {
			t.Fatalf("$ %s\n%s\n%v", s.command, output, err)
		}
		if n := strings.Count(output, "COSI is up"); n > 1 {
			t.Errorf("$ %s\nprints the endpoints %d times:\n%s", s.command, n, output)
		}
		if diff := cmp.Diff(columns(s.output), columns(strings.Split(output, "\n"))); diff != "" {
			t.Errorf("$ %s\ncolumns: -%s, +now:\n%s", s.command, page, diff)
		}
	}
	t.Logf("%d of %d commands were run", ran, len(steps))
}

// missing returns a program of the command that is not installed.
func missing(command string) string {
	for _, program := range []string{"kubectl", "aws", "s3cmd"} {
		if _, err := exec.LookPath(program); err != nil && strings.HasPrefix(command, program+" ") {
			return program
		}
	}
	return ""
}

// shell runs commands one after another with one environment, as a user does.
type shell struct {
	dir, env string
	environ  []string
}

func newShell(t *testing.T) *shell {
	t.Helper()
	dir, err := os.MkdirTemp("", "readme-") //nolint:usetesting // it is short, for the UNIX socket in it
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "bin", programName)
	if err := os.Mkdir(filepath.Dir(bin), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := installProgram(bin); err != nil {
		t.Fatal(err)
	}
	s := &shell{dir: dir, env: filepath.Join(dir, "env"), environ: append(os.Environ(),
		"PATH="+filepath.Dir(bin)+string(os.PathListSeparator)+os.Getenv("PATH"),
		"XDG_STATE_HOME="+filepath.Join(dir, "state"),
	)}
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		os.WriteFile(filepath.Join(dir, "hello.txt"), []byte("hello"), 0o600),
		os.WriteFile(s.env, nil, 0o600),
		os.Symlink(examples, filepath.Join(dir, "examples")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		_, downErr := s.run(t, "cosi-emu down --all")
		if err := errors.Join(downErr, os.RemoveAll(dir)); err != nil {
			t.Error(err)
		}
	})
	return s
}

// run runs a command with the variables that earlier ones have exported.
func (s *shell) run(t *testing.T, command string) (string, error) {
	t.Helper()
	const limit = 2 * time.Minute
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), limit)
	defer cancel()
	// The pages do not export their variables, so all are exported.
	script := `set -a; . "$0"; ` + command + "\nstatus=$?\nexport -p > \"$0\"\nexit $status"
	cmd := exec.CommandContext(ctx, "bash", "-c", script, s.env)
	cmd.Dir, cmd.Env = s.dir, s.environ
	output, err := cmd.CombinedOutput()
	return string(output), err
}
