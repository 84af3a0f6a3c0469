package release_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/cosi-emu/cosi-emu/hack/release/internal/release"
)

const (
	version = "v0.2.0"
	root    = "../../../.."
)

// platform is this machine's, whose program can run here.
var platform = runtime.GOOS + "/" + runtime.GOARCH

// temporary has the files that all tests use.
var temporary string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if temporary, err = os.MkdirTemp("", "release-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(temporary) //nolint:errcheck // temporary files
	return m.Run()
}

// made is the directory with the release of this working tree, for this machine's platform:
// the others take minutes.
var made = sync.OnceValues(func() (string, error) {
	out := filepath.Join(temporary, "first")
	return out, makeFrom(root, out)
})

func makeFrom(dir, out string) error {
	return release.Make(context.Background(), release.Options{
		Root: dir, Out: out, Version: version, Platforms: []string{platform}, Time: time.Unix(1_800_000_000, 0).UTC(),
	})
}

func files(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it compiles the program")
	}
	dir, err := made()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func name(t *testing.T, suffix string) string {
	t.Helper()
	return filepath.Join(files(t), "cosi-emu_"+version+"_"+strings.ReplaceAll(platform, "/", "_")+suffix)
}

// TestSameBytes makes the release again, elsewhere, from the files that `go install` downloads: the
// module, without the other modules of the repository.
func TestSameBytes(t *testing.T) {
	first := files(t)
	archive := filepath.Join(temporary, "module.zip")
	path := module.Version{Path: "github.com/cosi-emu/cosi-emu", Version: version}
	f, err := os.Create(archive)
	if err != nil {
		t.Fatal(err)
	}
	if err := zip.CreateFromDir(f, path, sources(t)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(temporary, "module")
	if err := zip.Unzip(elsewhere, path, archive); err != nil {
		t.Fatal(err)
	}
	second := filepath.Join(temporary, "second")
	if err := makeFrom(elsewhere, second); err != nil {
		t.Fatal(err)
	}
	want, got := read(t, filepath.Join(first, "checksums.txt")), read(t, filepath.Join(second, "checksums.txt"))
	if want != got {
		t.Errorf("checksums of the first release:\n%s\nof the second:\n%s", want, got)
	}
	for _, suffix := range []string{".tar.gz", ".cdx.json"} {
		if base := filepath.Base(name(t, suffix)); !strings.Contains(want, base) {
			t.Errorf("the checksums have no %s:\n%s", base, want)
		}
	}
}

// sources returns a directory with the files that are, or could be, committed.
func sources(t *testing.T) string {
	t.Helper()
	list := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = root
	names, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		content, err := os.ReadFile(filepath.Join(root, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // it is removed, but this is not committed
		}
		target := filepath.Join(dir, name)
		err = errors.Join(err, os.MkdirAll(filepath.Dir(target), 0o750))
		if err := errors.Join(err, os.WriteFile(target, content, 0o600)); err != nil { //nolint:gosec // a name of git
			t.Fatal(err)
		}
	}
	return dir
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestMakeRejects(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		reason, version, platform, out, want string
	}{
		"Version":  {reason: "Tags of Go modules have a v.", version: "0.2.0", platform: platform, want: "must have the form v1.2.3"},
		"Platform": {reason: "Nothing is tested there.", version: version, platform: "windows/amd64", want: "must be one of linux/amd64"},
		"Out":      {reason: "The checksums would have foreign files.", version: version, platform: platform, out: full, want: "is not empty"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			o := release.Options{Root: root, Out: tc.out, Version: tc.version, Platforms: []string{tc.platform}}
			if o.Out == "" {
				o.Out = t.TempDir()
			}
			if err := release.Make(t.Context(), o); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s\nMake() = %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}
