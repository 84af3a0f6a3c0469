package binaries

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/tools/setup-envtest/versions"

	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

func TestMain(m *testing.M) { leaks.Main(m) }

// fakeModule builds in a second, kubernetesModule in minutes.
func fakeModule() module {
	m := module{version: KubernetesVersion, ldflags: "-s -w", files: map[string][]byte{
		"go.mod": []byte("module example.com/fake\n\ngo 1.26.0\n"),
	}}
	for _, program := range []string{APIServer, ControllerManager, Etcd} {
		m.files["cmd/"+program+"/main.go"] = []byte("package main\n\nfunc main() { println(\"" + program + "\") }\n")
		m.targets = append(m.targets, target{program: program, pkg: "example.com/fake/cmd/" + program})
	}
	return m
}

type recorder struct {
	mu      sync.Mutex
	updates []Update
	notify  chan Update // also receives updates, if there is room
}

func (r *recorder) add(u Update) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.updates = append(r.updates, u)
	select {
	case r.notify <- u:
	default:
	}
}

// phases are the phases and items in the order of their first reports.
func (r *recorder) phases() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var phases []string
	seen := map[string]bool{}
	for _, u := range r.updates {
		phase := string(u.Phase) + " " + u.Item
		if !seen[phase] {
			seen[phase] = true
			phases = append(phases, phase)
		}
	}
	return phases
}

// fakeOptions returns options without a network, with a fake module and an empty cache. It
// skips the test with -short, because it builds programs.
func fakeOptions(t *testing.T) (Options, *recorder) {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds programs")
	}
	t.Setenv(AssetsVariable, "")
	r := &recorder{notify: make(chan Update, 100)}
	return Options{
		CacheDir: t.TempDir(), Progress: r.add, module: fakeModule(),
		IndexURL: "http://127.0.0.1:1/index", ReleaseURL: "http://127.0.0.1:1",
		ConnectTimeout: 500 * time.Millisecond, StallTimeout: 500 * time.Millisecond,
	}, r
}

func testContext(tb testing.TB) context.Context {
	tb.Helper()
	return harness.Context(tb)
}

func writeScripts(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		writeFile(t, filepath.Join(dir, name), scriptOf(name), 0o755)
	}
}

func scriptOf(name string) string { return "#!/bin/sh\necho " + name + "\n" }

func writeFile(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), mode); err != nil { //nolint:gosec // a test's own path
		t.Fatal(err)
	}
}

func namesIn(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func keyOf(platform versions.Platform) string {
	return KubernetesVersion + "-" + platform.OS + "-" + platform.Arch
}
