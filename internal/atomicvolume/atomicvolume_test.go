package atomicvolume_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/atomicvolume"
)

type files = map[string]atomicvolume.File

func file(text string) atomicvolume.File {
	return atomicvolume.File{Data: []byte(text), Mode: 0o640}
}

func write(t *testing.T, dir string, files files) bool {
	t.Helper()
	changed, err := atomicvolume.Write(dir, files)
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

// read returns the files as a user of the volume sees them, and fails if the volume has anything else.
func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	seen := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	versions := 0
	for _, entry := range entries {
		switch name := entry.Name(); {
		case name == "..data":
		case strings.HasPrefix(name, ".."):
			versions++
		default:
			readBelow(t, dir, name, seen)
		}
	}
	if versions != 1 {
		t.Errorf("the volume has %d versions, want 1: %v", versions, entries)
	}
	return seen
}

func readBelow(t *testing.T, dir, name string, seen map[string]string) {
	t.Helper()
	at := filepath.Join(dir, name)
	info, err := os.Stat(at)
	if err != nil {
		t.Fatal(err)
	}
	if !info.IsDir() {
		text, err := os.ReadFile(at)
		if err != nil {
			t.Fatal(err)
		}
		seen[name] = info.Mode().String() + " " + string(text)
		return
	}
	entries, err := os.ReadDir(at)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		readBelow(t, dir, name+"/"+entry.Name(), seen)
	}
}

// TestWrite: whatever the volume had, also by a Write that was killed, it has the new files afterwards, and a second
// Write changes nothing.
func TestWrite(t *testing.T) {
	link := func(target, name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			t.Helper()
			if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	old := files{"a": file("old"), "gone": file("x"), "d/e": file("old"), "deep/down/f": file("old")}
	tests := map[string]struct {
		before files
		damage func(t *testing.T, dir string)
		files  files
		want   map[string]string
	}{
		"First":  {files: files{"a": file("1"), "d/e": file("2")}, want: map[string]string{"a": "-rw-r----- 1", "d/e": "-rw-r----- 2"}},
		"Change": {before: old, files: files{"a": file("new")}, want: map[string]string{"a": "-rw-r----- new"}},
		"None":   {before: old, files: files{}, want: map[string]string{}},
		"Mode": {
			before: files{"a": file("1")},
			files:  files{"a": {Data: []byte("1"), Mode: 0o600}}, want: map[string]string{"a": "-rw------- 1"},
		},
		"Directory": {before: files{"a": file("1")}, files: files{"a/b": file("2")}, want: map[string]string{"a/b": "-rw-r----- 2"}},
		"KilledBeforeRename": {
			before: old, damage: link("..2026_01_01", "..data_tmp"),
			files: files{"a": file("new")}, want: map[string]string{"a": "-rw-r----- new"},
		},
		"KilledInDirectory": {
			before: old, damage: func(t *testing.T, dir string) {
				t.Helper()
				if err := os.MkdirAll(filepath.Join(dir, "..2026_01_01", "d"), 0o700); err != nil {
					t.Fatal(err)
				}
			},
			files: files{"a": file("new")}, want: map[string]string{"a": "-rw-r----- new"},
		},
		"KilledBeforeLinks": {
			before: files{"a": file("1")}, damage: func(t *testing.T, dir string) {
				t.Helper()
				if err := os.Remove(filepath.Join(dir, "a")); err != nil {
					t.Fatal(err)
				}
			},
			files: files{"a": file("1")}, want: map[string]string{"a": "-rw-r----- 1"},
		},
		"LinkOfAnotherVersion": {
			before: old, damage: link("..data/older", "older"),
			files: files{"a": file("new")}, want: map[string]string{"a": "-rw-r----- new"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if tc.before != nil {
				write(t, dir, tc.before)
			}
			if tc.damage != nil {
				tc.damage(t, dir)
			}
			write(t, dir, tc.files)
			if diff := cmp.Diff(tc.want, read(t, dir)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			if write(t, dir, tc.files) {
				t.Error("a second Write changed the files")
			}
		})
	}
}

// TestLinksLeadNowhere: a user of the volume cannot have Write change or remove a file outside of it.
func TestLinksLeadNowhere(t *testing.T) {
	for _, name := range []string{"..data", "..data_tmp", "a", "d", "..2026_01_01"} {
		t.Run(name, func(t *testing.T) {
			outside, dir := t.TempDir(), t.TempDir()
			for _, name := range []string{"a", "e"} {
				if err := os.WriteFile(filepath.Join(outside, name), []byte("mine"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write(t, dir, files{"a": file("1"), "d/e": file("1")})
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(outside, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
			write(t, dir, files{"a": file("2"), "d/e": file("2")})
			write(t, dir, files{})
			for _, name := range []string{"a", "e"} {
				text, err := os.ReadFile(filepath.Join(outside, name))
				if diff := cmp.Diff("mine", string(text)); err != nil || diff != "" {
					t.Errorf("the file outside is %q, %v", text, err)
				}
			}
		})
	}
}

// TestLeavesFilesOfUsers: Write removes its own files only.
func TestLeavesFilesOfUsers(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "mine")
	if err := os.WriteFile(mine, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, dir, files{"a": file("1")})
	write(t, dir, files{})
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
}

// TestRejected: paths that could leave the volume, or that its own names need, change nothing.
func TestRejected(t *testing.T) {
	tests := map[string]struct {
		files files
		want  string
	}{
		"Empty":     {files: files{"": file("")}, want: "must be relative"},
		"Dot":       {files: files{".": file("")}, want: "must be relative"},
		"Absolute":  {files: files{"/a": file("")}, want: "must be relative"},
		"Parent":    {files: files{"a/../../b": file("")}, want: "must be relative"},
		"Reserved":  {files: files{"..data": file("")}, want: "the volume itself uses"},
		"BelowFile": {files: files{"a": file(""), "a/b": file("")}, want: `path "a/b" is below "a", which is a file`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			_, err := atomicvolume.Write(dir, tc.files)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("the error is %v, want %q", err, tc.want)
			}
			if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
				t.Errorf("the volume has %v, %v", entries, err)
			}
		})
	}
	if _, err := atomicvolume.Write(filepath.Join(t.TempDir(), "missing"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error is %v, want %v", err, fs.ErrNotExist)
	}
}

// TestReadersSeeOneVersion: a reader that resolves ..data once sees files of one version, while Write replaces them.
func TestReadersSeeOneVersion(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, files{"a": file("0"), "b": file("0")})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 200 {
			text := strings.Repeat("x", i%7)
			if _, err := atomicvolume.Write(dir, files{"a": file(text), "b": file(text)}); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	for finished := false; !finished; {
		select {
		case <-done:
			finished = true
		default:
		}
		compareVersion(t, dir)
	}
}

func compareVersion(t *testing.T, dir string) {
	t.Helper()
	current, err := os.OpenRoot(filepath.Join(dir, "..data"))
	if errors.Is(err, fs.ErrNotExist) {
		return // removed between the link and the directory
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := current.Close(); err != nil {
			t.Error(err)
		}
	}()
	a, errA := current.ReadFile("a")
	b, errB := current.ReadFile("b")
	if errA == nil && errB == nil && !bytes.Equal(a, b) {
		t.Errorf("a is %q and b is %q, of different versions", a, b)
	}
}
