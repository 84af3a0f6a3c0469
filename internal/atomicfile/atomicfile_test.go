package atomicfile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
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
	tests := map[string]struct {
		put    func(path string, mode fs.FileMode, write func(io.Writer) error) error
		before map[string]string // a name that ends with a slash is a directory
		err    error             // of the writer
		want   map[string]string
		wantIs error
	}{
		"Replace":        {put: atomicfile.Replace, before: map[string]string{"f": "old"}, want: map[string]string{"f": "new"}},
		"ReplaceNothing": {put: atomicfile.Replace, want: map[string]string{"f": "new"}},
		"Create":         {put: atomicfile.Create, want: map[string]string{"f": "new"}},
		"CreateExisting": {put: atomicfile.Create, before: map[string]string{"f": "old"}, want: map[string]string{"f": "old"}, wantIs: fs.ErrExist},
		"WriterFails":    {put: atomicfile.Replace, before: map[string]string{"f": "old"}, err: errWrite, want: map[string]string{"f": "old"}, wantIs: errWrite},
		"Directory":      {put: atomicfile.Replace, before: map[string]string{"f/": ""}, want: map[string]string{"f/": ""}, wantIs: os.ErrExist},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range tc.before {
				if file == "f/" {
					if err := os.Mkdir(filepath.Join(dir, "f"), 0o700); err != nil {
						t.Fatal(err)
					}
				} else if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			err := tc.put(filepath.Join(dir, "f"), 0o640, write("new", tc.err))
			if !errors.Is(err, tc.wantIs) || tc.wantIs == nil && err != nil {
				t.Errorf("the error is %v, want %v", err, tc.wantIs)
			}
			if diff := cmp.Diff(tc.want, read(t, dir)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			if info, err := os.Stat(filepath.Join(dir, "f")); tc.wantIs == nil && runtime.GOOS != "windows" && (err != nil || info.Mode() != 0o640) {
				t.Errorf("the file is %v, %v, want mode 0640", info, err)
			}
		})
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
