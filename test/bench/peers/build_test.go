package peers

import (
	"archive/zip"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// useProxy has the go command get a module with one program from a directory.
func useProxy(t *testing.T, path, version, source string) {
	t.Helper()
	proxy, cache := t.TempDir(), t.TempDir()
	t.Cleanup(func() { makeWritable(t, cache) }) // the go command makes its module cache read-only
	for name, value := range map[string]string{
		"GOPROXY": "file://" + filepath.ToSlash(proxy), "GOSUMDB": "off", "GOMODCACHE": cache, "GONOPROXY": "none", "GOPRIVATE": "",
	} {
		t.Setenv(name, value)
	}
	dir := filepath.Join(proxy, filepath.FromSlash(path), "@v")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	module := "module " + path + "\n\ngo 1.26\n"
	for name, content := range map[string]string{
		"list": version + "\n", version + ".info": `{"Version":"` + version + `"}`, version + ".mod": module,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.Create(filepath.Join(dir, version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	archive := zip.NewWriter(file)
	for name, content := range map[string]string{"go.mod": module, "main.go": source} {
		w, err := archive.Create(path + "@" + version + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(archive.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
}

func makeWritable(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(path, 0o700) //nolint:gosec // a directory
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestBuild(t *testing.T) {
	tests := map[string]struct {
		reason  string
		source  string
		version string
		err     string // empty: it is built
	}{
		"Built": {
			reason: "The program is kept, and not built again.",
			source: "package main\n\nfunc main() { println(\"built\") }\n", version: "v1.2.3",
		},
		"Compile": {
			reason: "The compiler says what is wrong.",
			source: "package main\n\nfunc main() { bad() }\n", version: "v1.2.3", err: "undefined: bad",
		},
		"Missing": {
			reason: "The error has the command that failed.",
			source: "package main\n\nfunc main() {}\n", version: "v9.9.9", err: "go install example.invalid/fake@v9.9.9: ",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			useProxy(t, "example.invalid/fake", "v1.2.3", tc.source)
			o := Options{CacheDir: t.TempDir()}
			builds := 0
			find := func() (string, error) {
				return o.find(t.Context(), Peer{Name: "fake", Package: "example.invalid/fake", Version: tc.version}, func(string) { builds++ })
			}
			path, err := find()
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("%s\nfind() = %v, want %q", tc.reason, err, tc.err)
				}
				checkKept(t, o.CacheDir)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			again, err := find()
			if err != nil || again != path || builds != 1 {
				t.Errorf("%s\nfind() = %s, %v after %d builds, want %s after one", tc.reason, again, err, builds, path)
			}
			if out, err := exec.CommandContext(t.Context(), path).CombinedOutput(); err != nil || string(out) != "built\n" {
				t.Errorf("the program prints %q, %v", out, err)
			}
			checkKept(t, o.CacheDir, filepath.Base(path))
		})
	}
}

// checkKept compares the names of the cached files.
func checkKept(t *testing.T, dir string, want ...string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, path := range paths {
		got = append(got, filepath.Base(path))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("kept in the cache: -want, +got:\n%s", diff)
	}
}
