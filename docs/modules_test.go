package docs_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestModules compares the numbers of go-api.md with the modules that `go test` builds.
func TestModules(t *testing.T) {
	document, err := os.ReadFile("go-api.md")
	if err != nil {
		t.Fatal(err)
	}
	for row, in := range map[string][]string{
		"an application, with `emulator/emulatortest`": {"..", "./emulator/emulatortest"},
		"a driver, with `conformance` and `scenarios`: `examples/driver-author`": {
			"../examples/driver-author", "-test", "./...",
		},
	} {
		modules := modulesOf(t, in[0], in[1:]...)
		delete(modules, "example.com/driver-author") // the user's own
		if want := fmt.Sprintf("| %s | %d |\n", row, len(modules)); !strings.Contains(string(document), want) {
			t.Errorf("go-api.md does not have the row %s", want)
		}
		for name := range modules {
			for _, only := range []string{"cloud.google.com/", "google.golang.org/api", "sigs.k8s.io/kustomize", "jsonschema"} {
				if strings.Contains(name, only) {
					t.Errorf("%s: the build has %s, which only tests of this repository need", row, name)
				}
			}
		}
	}
}

// TestTracingModules: what production.md promises about the libraries. A module of OpenTelemetry's API may be in their builds.
func TestTracingModules(t *testing.T) {
	const library = "go.opentelemetry.io/otel/"
	for name := range modulesOf(t, "..", "./controller/...", "./sidecar/...", "./bridge", "./fakedriver") {
		if strings.HasPrefix(name, library+"sdk") || strings.HasPrefix(name, library+"exporters") {
			t.Errorf("the build of controller, sidecar, bridge and fakedriver has %s", name)
		}
	}
}

func modulesOf(t *testing.T, dir string, packages ...string) map[string]bool {
	t.Helper()
	args := append([]string{"list", "-C", dir, "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}"}, packages...)
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", cmd, err)
	}
	modules := map[string]bool{}
	for name := range strings.FieldsSeq(string(out)) {
		modules[name] = true
	}
	return modules
}
