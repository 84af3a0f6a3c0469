package deploy_test

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// instructions returns the lines of the Dockerfile, continued ones joined.
func instructions(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(strings.ReplaceAll(string(data), "\\\n", " ")) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

func arguments(t *testing.T, kind string) []string {
	t.Helper()
	var found []string
	for _, line := range instructions(t) {
		if rest, ok := strings.CutPrefix(line, kind+" "); ok {
			found = append(found, rest)
		}
	}
	return found
}

// TestDockerfileCopies expects that everything copied from the repository exists.
func TestDockerfileCopies(t *testing.T) {
	for _, copied := range arguments(t, "COPY") {
		if strings.HasPrefix(copied, "--from=") {
			continue
		}
		sources := strings.Fields(copied)
		for _, source := range sources[:len(sources)-1] {
			if _, err := os.Stat(filepath.Join("..", source)); err != nil {
				t.Errorf("COPY %s: %v", copied, err)
			}
		}
	}
}

// TestDockerfileVersion expects a compiler that the module accepts, by number.
func TestDockerfileVersion(t *testing.T) {
	module, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	minor := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(module)
	if minor == nil {
		t.Fatal("go.mod names no version")
	}
	pinned := regexp.MustCompile(`golang:` + regexp.QuoteMeta(string(minor[1])) + `\.\d+-`)
	if from := arguments(t, "FROM"); !pinned.MatchString(from[0]) {
		t.Errorf("the module is for Go %s, and the image is built by %s", minor[1], from[0])
	}
}

// TestDockerfileUser verifies that the manifests forbid root, and set the user of the fake driver.
// Design: CSI-PACKAGE-1
func TestDockerfileUser(t *testing.T) {
	if users := arguments(t, "USER"); !slices.Equal(users, []string{"65532:65532"}) {
		t.Errorf("the image runs as %v", users)
	}
	for name, template := range templates(t) {
		if user := template.Spec.SecurityContext.RunAsUser; user != nil && *user != 65532 {
			t.Errorf("%s runs as %d", name, *user)
		}
		for _, container := range template.Spec.Containers {
			if len(container.Command) > 0 {
				t.Errorf("%s/%s has a command, but the image has an entry point", name, container.Name)
			}
		}
	}
}

// TestLongDockerfileBuild runs the command that builds the program, and expects a program that runs
// without any other file.
func TestLongDockerfileBuild(t *testing.T) {
	runs := arguments(t, "RUN")
	i := slices.IndexFunc(runs, func(run string) bool { return strings.Contains(run, "go build") })
	if i < 0 {
		t.Fatal("nothing builds the program")
	}
	program := filepath.Join(t.TempDir(), "cosi-emu")
	command := regexp.MustCompile(`--mount=\S+`).ReplaceAllString(runs[i], "")
	command = strings.ReplaceAll(command, "/out/usr/bin/cosi-emu", program)
	build := exec.CommandContext(t.Context(), "/bin/sh", "-c", command)
	build.Dir = ".."
	build.Env = append(os.Environ(), "TARGETOS=linux", "TARGETARCH="+runtime.GOARCH)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	for _, segment := range file.Progs {
		if segment.Type == elf.PT_INTERP {
			t.Error("the program needs a dynamic linker, which the image does not have")
		}
	}
}
