package logfile_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/logfile"
)

func TestRewrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	hide := func(line []byte) []byte { return bytes.ReplaceAll(line, []byte("key"), []byte("***")) }
	if err := logfile.Rewrite(path, hide); err != nil {
		t.Errorf("a file that does not exist: %v", err)
	}
	for before, after := range map[string]string{
		"": "", "a\nb\n": "a\nb\n", "a\nkey\nb": "a\n***\nb", "key\n\nkeys\n": "***\n\n***s\n",
	} {
		if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		old, _ := os.Stat(path)
		if err := logfile.Rewrite(path, hide); err != nil {
			t.Errorf("%q: %v", before, err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != after {
			t.Errorf("%q became %q, %v; want %q", before, got, err, after)
		}
		if now, _ := os.Stat(path); now.Mode() != old.Mode() || before == after && !os.SameFile(old, now) {
			t.Errorf("%q: the file was replaced, or has mode %s", before, now.Mode())
		}
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("left: %v", entries)
	}
}
