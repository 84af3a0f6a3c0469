package atomicvolume_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestGroup: the file belongs to the group, and has its mode.
func TestGroup(t *testing.T) {
	gid := os.Getgid()
	if os.Geteuid() == 0 {
		gid = 4711
	}
	dir := t.TempDir()
	write(t, dir, files{"d/a": {Data: []byte("1"), Mode: 0o440, GID: &gid}})
	info, err := os.Stat(filepath.Join(dir, "d", "a"))
	if err != nil {
		t.Fatal(err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(stat.Gid) != gid || info.Mode() != 0o440 {
		t.Errorf("the file is %+v with the mode %v, want group %d and 0440", stat, info.Mode(), gid)
	}
}
