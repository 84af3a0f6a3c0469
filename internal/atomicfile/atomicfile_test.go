package atomicfile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/atomicfile"
)

// TestWrite: the directory has the old file or the new one, and nothing else, whatever goes wrong.
func TestWrite(t *testing.T) {
	errWrite := errors.New("no")
	write := func(text string, err error) func(io.Writer) error {
		return func(w io.Writer) error {
			_, writing := io.WriteString(w, text)
			return errors.Join(writing, err)
		}
	}
	type directory map[string]string // its files and their contents; a name that ends with a slash is a directory
	replace, create := atomicfile.Replace, atomicfile.Create
	tests := map[string]struct {
		put    func(path string, mode fs.FileMode, write func(io.Writer) error) error
		before directory
		err    error // of the writer
		want   directory
		wantIs error
	}{
		"Replace":        {put: replace, before: directory{"f": "old"}, want: directory{"f": "new"}},
		"ReplaceNothing": {put: replace, want: directory{"f": "new"}},
		"Create":         {put: create, want: directory{"f": "new"}},
		"CreateExisting": {put: create, before: directory{"f": "old"}, want: directory{"f": "old"}, wantIs: fs.ErrExist},
		"WriterFails":    {put: replace, before: directory{"f": "old"}, err: errWrite, want: directory{"f": "old"}, wantIs: errWrite},
		"Directory":      {put: replace, before: directory{"f/": ""}, want: directory{"f/": ""}, wantIs: fs.ErrExist},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			fill(t, dir, tc.before)
			err := tc.put(filepath.Join(dir, "f"), 0o640, write("new", tc.err))
			if !errors.Is(err, tc.wantIs) {
				t.Errorf("the error is %v, want %v", err, tc.wantIs)
			}
			if diff := cmp.Diff(map[string]string(tc.want), read(t, dir)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			if tc.wantIs == nil {
				checkMode(t, filepath.Join(dir, "f"))
			}
		})
	}
}

func fill(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		var err error
		if strings.HasSuffix(name, "/") {
			err = os.Mkdir(path, 0o700)
		} else {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func checkMode(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode() != 0o640 {
		t.Errorf("the file has the mode %v, want 0640", info.Mode())
	}
}

func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, entry := range entries {
		if entry.IsDir() {
			files[entry.Name()+"/"] = ""
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[entry.Name()] = string(text)
	}
	return files
}

// TestNoDirectory: the error names the missing directory.
func TestNoDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "f")
	if err := atomicfile.WriteFile(path, nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error is %v, want %v", err, fs.ErrNotExist)
	}
}
