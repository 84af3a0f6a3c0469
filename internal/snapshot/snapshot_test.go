package snapshot_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/snapshot"
)

// contents returns the files below a directory, with their modes.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	files := os.DirFS(dir)
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		found[name] = info.Mode().String()
		if entry.Type().IsRegular() {
			data, err := fs.ReadFile(files, name)
			if err != nil {
				return err
			}
			found[name] += " " + string(data)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func tree(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, content := range map[string]string{"a": "1", "d/b": "", "d/e/c": strings.Repeat("0", 1<<20)} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestWrite writes a directory twice. Afterwards only the file exists, with mode 0600.
func TestWrite(t *testing.T) {
	dir := tree(t)
	parent := t.TempDir()
	file := filepath.Join(parent, "file")
	if err := snapshot.Write(file, map[string]int{"n": 3}, dir, false); err != nil {
		t.Fatal(err)
	}
	if err := snapshot.Write(file, nil, dir, false); !errors.Is(err, snapshot.ErrExists) {
		t.Errorf("Write() to an existing file = %v, want ErrExists", err)
	}
	if err := snapshot.Write(file, map[string]int{"n": 4}, dir, true); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(parent); err != nil || len(entries) != 1 {
		t.Errorf("beside the file there is %v, %v", entries, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, %v; want 0600", info.Mode(), err)
	}
	expectUnpacked(t, file, dir)
}

// expectUnpacked expects a description with 4, and the files of a directory.
func expectUnpacked(t *testing.T, file, dir string) {
	t.Helper()
	opened, err := snapshot.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	described := map[string]int{}
	if err := opened.Describe(&described); err != nil || described["n"] != 4 {
		t.Errorf("Describe() = %v, %v", described, err)
	}
	unpacked := t.TempDir()
	if err := opened.Unpack(unpacked); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(contents(t, dir), contents(t, unpacked)); diff != "" {
		t.Errorf("-packed, +unpacked:\n%s", diff)
	}
	if err := opened.Unpack(unpacked); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Unpack() over files = %v, want ErrExist", err)
	}
}

// TestEveryByte changes each byte of a file, and cuts the file at each: the result is
// rejected.
func TestEveryByte(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := snapshot.Write(file, "description", dir, false); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range content {
		changed := bytes.Clone(content)
		changed[i] ^= 4
		for what, data := range map[string][]byte{"changed": changed, "cut": content[:i]} {
			if err := os.WriteFile(file, data, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := snapshot.Open(file)
			if !errors.Is(err, snapshot.ErrDamaged) && !errors.Is(err, snapshot.ErrForeign) && !errors.Is(err, snapshot.ErrFormat) {
				t.Errorf("%s at byte %d: Open() = %v", what, i, err)
			}
			if err != nil && !strings.Contains(err.Error(), file) {
				t.Errorf("%s at byte %d: %v does not name the file", what, i, err)
			}
		}
	}
}

func TestRejected(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good")
	if err := snapshot.Write(good, nil, t.TempDir(), false); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(good, 0o640); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(dir, "foreign")
	if err := os.WriteFile(foreign, []byte("something else, which everybody can read"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		path string
		want error
	}{
		"Mode":      {good, snapshot.ErrMode},
		"Foreign":   {foreign, snapshot.ErrForeign},
		"Directory": {dir, snapshot.ErrForeign},
		"Missing":   {filepath.Join(dir, "missing"), fs.ErrNotExist},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := snapshot.Open(tc.path); !errors.Is(err, tc.want) {
				t.Errorf("Open() = %v, want %v", err, tc.want)
			}
		})
	}
	t.Run("Target", func(t *testing.T) {
		for _, path := range []string{filepath.Join(dir, "missing", "file"), dir} {
			if err := snapshot.CheckTarget(path, true); err == nil || !strings.Contains(err.Error(), "choose another file") {
				t.Errorf("CheckTarget(%s) = %v", path, err)
			}
		}
	})
}

// TestEscape unpacks archives with correct checksums that would write elsewhere.
func TestEscape(t *testing.T) {
	for name, header := range map[string]*tar.Header{
		"Parent":   {Typeflag: tar.TypeReg, Name: "../escaped", Mode: 0o600},
		"Absolute": {Typeflag: tar.TypeReg, Name: "/tmp/escaped", Mode: 0o600},
		"Link":     {Typeflag: tar.TypeSymlink, Name: "link", Linkname: "/tmp", Mode: 0o600},
	} {
		t.Run(name, func(t *testing.T) {
			var archive bytes.Buffer
			compressed := gzip.NewWriter(&archive)
			out := tar.NewWriter(compressed)
			if err := errors.Join(out.WriteHeader(header), out.Close(), compressed.Close()); err != nil {
				t.Fatal(err)
			}
			line := fmt.Sprintf(`{"description":null,"archive":{"size":%d,"sha256":"%x","unpacked":0}}`,
				archive.Len(), sha256.Sum256(archive.Bytes()))
			file := filepath.Join(t.TempDir(), "file")
			head := fmt.Sprintf("%s %x\n%s\n", snapshot.Format, sha256.Sum256([]byte(line)), line)
			if err := os.WriteFile(file, append([]byte(head), archive.Bytes()...), 0o600); err != nil {
				t.Fatal(err)
			}
			opened, err := snapshot.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(t.TempDir(), "dir")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := opened.Unpack(dir); err == nil {
				t.Errorf("Unpack() accepts %s", header.Name)
			}
			if found := contents(t, dir); len(found) > 0 {
				t.Errorf("the directory has %v", found)
			}
		})
	}
}
