package blobstore_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
)

// TestDamage damages files in several ways, and expects an error with the name of the damaged file.
func TestDamage(t *testing.T) {
	tests := map[string]struct {
		reason string
		damage func(t *testing.T, db, _ string)
		names  string
	}{
		"Overwritten": {reason: "It is not a database.", damage: fillWith(0x55, 0, -1), names: "store.db"},
		"Text":        {reason: "It is not a database.", damage: rewrite([]byte("hello")), names: "store.db"},
		"Emptied":     {reason: "It is not a new store.", damage: rewrite(nil), names: "store.db"},
		"Removed":     {reason: "It is not a new store.", damage: removeFile, names: "store.db"},
		"Halved":      {reason: "A read would go past the end of the file.", damage: halve, names: "store.db"},
		"AllPages":    {reason: "Both meta pages are good, and nothing else.", damage: fillWith(0xff, 2*4096, -1), names: "store.db"},
		"Zeros":       {reason: "Both meta pages are good, and nothing else.", damage: fillWith(0, 2*4096, -1), names: "store.db"},
		"Record":      {reason: "A record has changed.", damage: flip([]byte("the value of a record")), names: "store.db"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			fillVault(t, dir)
			tc.damage(t, filepath.Join(dir, "store.db"), "")
			err := openAndLoad(t, dir)
			if !errors.Is(err, blobstore.ErrDamaged) || !strings.Contains(err.Error(), filepath.Join(dir, tc.names)) {
				t.Errorf("%s\nthe error is %v, want one of kind %q about %s", tc.reason, err, blobstore.ErrDamaged, tc.names)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("the error has several lines: %v", err)
			}
		})
	}
}

func fillVault(t *testing.T, dir string) {
	t.Helper()
	v := open(t, dir)
	b := seal(t, v, content(1, large))
	commit(t, v, []blobstore.Change{change("large", b), {Table: "texts", Key: []byte("k"), Value: []byte("the value of a record")}}, b)
	for i := range 50 {
		b := seal(t, v, content(i, 5000))
		commit(t, v, []blobstore.Change{change("small", b)}, b)
	}
	shut(t, v)
}

// openAndLoad returns the first error of opening a store and reading all of it.
func openAndLoad(t *testing.T, dir string) error {
	t.Helper()
	v, err := blobstore.Open(dir)
	if err != nil {
		return err
	}
	defer shut(t, v)
	if err := v.Load("texts", func(_, _ []byte) error { return nil }); err != nil {
		return err
	}
	_, err = load(v)
	return err
}

func removeFile(t *testing.T, path, _ string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func rewrite(content []byte) func(*testing.T, string, string) {
	return func(t *testing.T, path, _ string) {
		t.Helper()
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func edit(t *testing.T, path string, change func([]byte) []byte) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rewrite(change(content))(t, path, "")
}

func halve(t *testing.T, path, _ string) {
	t.Helper()
	edit(t, path, func(b []byte) []byte { return b[:len(b)/2] })
}

func fillWith(value byte, from, to int) func(*testing.T, string, string) {
	return func(t *testing.T, path, _ string) {
		t.Helper()
		edit(t, path, func(b []byte) []byte {
			end := to
			if end < 0 {
				end = len(b)
			}
			copy(b[from:end], bytes.Repeat([]byte{value}, end-from))
			return b
		})
	}
}

// flip changes a bit in all copies of some bytes.
func flip(text []byte) func(*testing.T, string, string) {
	return func(t *testing.T, path, _ string) {
		t.Helper()
		edit(t, path, func(b []byte) []byte {
			changed := bytes.Clone(text)
			changed[0] ^= 1
			return bytes.ReplaceAll(b, text, changed)
		})
	}
}

// TestDamagedBodies damages bodies of blobs while the store is closed, and expects that reading
// them fails, and that others can be read.
func TestDamagedBodies(t *testing.T) {
	dir := t.TempDir()
	v := open(t, dir)
	good, small, big := seal(t, v, content(1, 1000)), seal(t, v, content(2, 1000)), seal(t, v, content(3, large))
	commit(t, v, []blobstore.Change{change("good", good), change("small", small), change("big", big)}, good, small, big)
	shut(t, v)
	flip(content(2, 1000))(t, filepath.Join(dir, "store.db"), "")

	again := open(t, dir)
	things := loaded(t, again)
	expect(t, things["good"], content(1, 1000))
	if _, err := things["small"].Open(0, 10); !errors.Is(err, blobstore.ErrDamaged) {
		t.Errorf("Open() of a damaged blob = %v, want %v", err, blobstore.ErrDamaged)
	}
	path := filepath.Join(dir, "blobs", files(t, dir)[0])
	halve(t, path, "")
	for name, drain := range map[string]func(io.Reader) error{
		"Read":    func(r io.Reader) error { _, err := io.ReadAll(struct{ io.Reader }{r}); return err },
		"WriteTo": func(r io.Reader) error { _, err := io.Copy(io.Discard, r); return err },
	} {
		r, err := things["big"].Open(0, large)
		if err != nil {
			t.Fatal(err)
		}
		if err := drain(r); !errors.Is(err, blobstore.ErrDamaged) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s of a blob that is too short = %v, want %v and the file", name, err, blobstore.ErrDamaged)
		}
		_ = r.Close() // only read
	}
	removeFile(t, path, "")
	if _, err := things["big"].Open(0, 1); !errors.Is(err, blobstore.ErrDamaged) {
		t.Errorf("Open() of a blob without a file = %v, want %v", err, blobstore.ErrDamaged)
	}
}

// TestQuarantine damages the file of one of two blobs. The store opens repeatedly, reports the
// damage, and keeps the remains.
func TestQuarantine(t *testing.T) {
	tests := map[string]struct {
		reason string
		damage func(t *testing.T, path, _ string)
		says   string
		left   int // bytes; -1 for no file
	}{
		"TooShort": {"Half of it is left.", halve, "has 51200 bytes, and should have 102400", large / 2},
		"TooLong":  {"It is another file.", rewrite(make([]byte, large+1)), "has 102401 bytes", large + 1},
		"Empty":    {"Nothing is left of it, except the file.", rewrite(nil), "has 0 bytes", 0},
		"Missing":  {"There is nothing to keep.", removeFile, "missing", -1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			v := open(t, dir)
			good, bad := seal(t, v, content(2, large)), seal(t, v, content(1, large))
			commit(t, v, []blobstore.Change{change("bad", bad), change("good", good)}, bad, good)
			shut(t, v)
			path, left := filepath.Join(dir, "blobs", hex(bad)), filepath.Join(dir, "damaged", hex(bad))
			tc.damage(t, path, "")
			for range 2 {
				v = open(t, dir)
				things := loaded(t, v)
				expect(t, things["good"], content(2, large))
				_, failed := things["bad"].Open(0, 1)
				for _, err := range []error{things["bad"].Damage(), failed} {
					if !errors.Is(err, blobstore.ErrDamaged) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), tc.says) {
						t.Errorf("%s\nthe error is %v, want %v, %s and %q", tc.reason, err, blobstore.ErrDamaged, path, tc.says)
					}
				}
				expectFile(t, left, tc.left)
				shut(t, v)
			}
			v = open(t, dir)
			things := loaded(t, v)
			commit(t, v, []blobstore.Change{remove("bad")})
			things["bad"].Release()
			shut(t, v)
			v = open(t, dir)
			if things := loaded(t, v); len(things) != 1 {
				t.Errorf("after its deletion there are %d blobs", len(things))
			}
			expectFile(t, left, tc.left)
			if next := seal(t, v, content(3, large)); tc.left >= 0 && next.ID() <= bad.ID() {
				t.Errorf("the ID %d is used again", next.ID())
			}
		})
	}
}

// expectFile expects a file of a size; -1 is no file.
func expectFile(t *testing.T, path string, size int) {
	t.Helper()
	info, err := os.Stat(path)
	if (err == nil) != (size >= 0) || err == nil && info.Size() != int64(size) {
		t.Errorf("file %s: %v, %v; want %d bytes", path, info, err, size)
	}
}

// TestQuarantineRestored puts the file back.
func TestQuarantineRestored(t *testing.T) {
	dir := t.TempDir()
	v := open(t, dir)
	b := seal(t, v, content(1, large))
	commit(t, v, []blobstore.Change{change("b", b)}, b)
	shut(t, v)
	path := filepath.Join(dir, "blobs", hex(b))
	for _, left := range []string{"", ".1"} { // each is kept
		halve(t, path, "")
		v = open(t, dir)
		if damage := loaded(t, v)["b"].Damage(); damage == nil || !strings.HasSuffix(damage.Error(), filepath.Join("damaged", hex(b)+left)) {
			t.Errorf("Damage() = %v, want the file with %q at its end", damage, left)
		}
		shut(t, v)
		rewrite(content(1, large))(t, path, "")
	}
	v = open(t, dir)
	expect(t, loaded(t, v)["b"], content(1, large))
}

func hex(b blobstore.Blob) string { return strconv.FormatUint(uint64(b.ID()), 16) }

func TestFormat(t *testing.T) {
	dir := t.TempDir()
	shut(t, open(t, dir))
	// The table of formats has one record, with adjacent key and value.
	edit(t, filepath.Join(dir, "store.db"), func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("format1"), []byte("format2")) })
	if _, err := blobstore.Open(dir); err == nil || !strings.Contains(err.Error(), `format "2"`) {
		t.Errorf("Open() of another format = %v", err)
	}
}
