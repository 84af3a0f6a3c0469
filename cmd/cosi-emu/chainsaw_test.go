package main_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries/binariestest"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
)

// suiteTool is a tool that runs suites, and the parts of its output that are about the example.
type suiteTool struct{ passes, fails string }

var suiteTools = map[string]suiteTool{
	"chainsaw": {passes: "--- PASS: chainsaw/photos", fails: "--- FAIL: chainsaw/photos"},
	"kuttl":    {passes: "--- PASS: kuttl/harness/photos", fails: "--- FAIL: kuttl/harness/photos"},
}

// TestLongChainsaw runs the commands of docs/chainsaw.md as they are printed, with chainsaw and kuttl of the versions in
// test/chainsaw/go.mod, on both control planes.
func TestLongChainsaw(t *testing.T) {
	text, err := os.ReadFile("../../docs/chainsaw.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	tools := buildSuiteTools(t)
	for _, plane := range []kind.Kind{kind.Embedded, kind.Envtest} {
		t.Run(string(plane), func(t *testing.T) {
			if plane == kind.Envtest {
				binariestest.Find(t)
			}
			shell := newShell(t)
			shell.environ = append(shell.environ, controlPlaneVariable+"="+string(plane))
			for _, tool := range tools {
				if err := os.Symlink(tool, filepath.Join(shell.dir, "bin", filepath.Base(tool))); err != nil {
					t.Fatal(err)
				}
			}
			commands := suiteCommands(t, page)
			shell.expectFailures(t, commands)
			shell.expectPasses(t, commands)
			shell.expectFault(t, page)
		})
	}
}

// buildSuiteTools builds chainsaw and kuttl, and returns their paths.
func buildSuiteTools(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-C", "../../test/chainsaw", "-o", dir, "tool")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tools, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(tools) != len(suiteTools) {
		t.Fatalf("test/chainsaw has the tools %v, %v", tools, err)
	}
	return tools
}

// suiteCommands returns the commands at the top of the page. Without kubectl, the plugin that `kubectl kuttl` runs takes its place.
func suiteCommands(t *testing.T, page string) []string {
	t.Helper()
	top, _, _ := strings.Cut(page, "\n## ")
	var commands []string
	for _, line := range regexp.MustCompile(`(?m)^ {4}(\S.*)$`).FindAllStringSubmatch(top, -1) {
		commands = append(commands, line[1])
	}
	if want := 5; len(commands) != want {
		t.Fatalf("docs/chainsaw.md has the commands %q, want %d", commands, want)
	}
	if _, err := exec.LookPath("kubectl"); err != nil {
		for i := range commands {
			commands[i] = strings.Replace(commands[i], "kubectl kuttl", "kubectl-kuttl", 1)
		}
	}
	return commands
}

// expectPasses runs the commands.
func (s *shell) expectPasses(t *testing.T, commands []string) {
	t.Helper()
	for _, command := range commands {
		output, err := s.run(t, command)
		if err != nil {
			t.Fatalf("$ %s\n%s\n%v", command, output, err)
		}
		_, suite, isTest := strings.Cut(command, "test examples/")
		if want := suiteTools[suite].passes; isTest && (want == "" || !strings.Contains(output, want)) {
			t.Errorf("$ %s\n%s\ndoes not report %q", command, output, want)
		}
	}
}

// expectFailures runs the suites in an emulator of their own, with an assertion that does not hold: exec exits with the
// code of the tool.
func (s *shell) expectFailures(t *testing.T, commands []string) {
	t.Helper()
	const toolFails = 1
	wrong := strings.NewReplacer("readyToUse: true", "readyToUse: false", "assert: 30s", "assert: 1s")
	ran := 0
	for _, command := range commands {
		run, suite, isTest := strings.Cut(command, "test examples/")
		if !isTest || !strings.Contains(run, "exec") {
			continue
		}
		ran++
		if err := copySuite(filepath.Join(s.dir, "examples", suite), filepath.Join(s.dir, "wrong", suite), wrong); err != nil {
			t.Fatal(err)
		}
		command = run + "test wrong/" + suite
		if suite == "kuttl" {
			command += " --timeout 1"
		}
		output, err := s.run(t, command)
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != toolFails {
			t.Errorf("$ %s\n%s\n%v, want exit code %d", command, output, err, toolFails)
		}
		for _, want := range []string{suiteTools[suite].fails, "readyToUse"} {
			if !strings.Contains(output, want) {
				t.Errorf("$ %s\n%s\ndoes not report %q", command, output, want)
			}
		}
	}
	if ran != len(suiteTools) {
		t.Errorf("docs/chainsaw.md runs %d suites with exec, want one for each of %v", ran, suiteTools)
	}
}

// expectFault runs the test of the page that adds a fault. The emulator is up.
func (s *shell) expectFault(t *testing.T, page string) {
	t.Helper()
	_, test, found := strings.Cut(page, "```yaml\napiVersion: chainsaw.kyverno.io/")
	if !found {
		t.Fatal("docs/chainsaw.md has no test for chainsaw")
	}
	test, _, _ = strings.Cut(test, "```")
	dir := filepath.Join(s.dir, "outage")
	file := filepath.Join(dir, "chainsaw-test.yaml")
	text := []byte("apiVersion: chainsaw.kyverno.io/" + test)
	err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(file, text, 0o600)) //nolint:gosec // a page of the repository
	if err != nil {
		t.Fatal(err)
	}
	if output, err := s.run(t, "chainsaw test outage"); err != nil || !strings.Contains(output, "--- PASS: chainsaw/outage") {
		t.Errorf("%s\n%v, want that the test of the page passes", output, err)
	}
}

// copySuite copies the files of a suite, and replaces parts of them.
func copySuite(from, to string, replace *strings.Replacer) error {
	files := os.DirFS(from)
	if err := os.CopyFS(to, files); err != nil {
		return err
	}
	return fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, path), []byte(replace.Replace(string(text))), 0o600)
	})
}
