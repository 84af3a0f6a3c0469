package harness

import (
	"os"
	"strconv"
	"syscall"
	"testing"
)

// SmallDisk returns an empty directory with a file system of its own, which is full after
// that many bytes. The test is skipped without the rights to mount one.
func SmallDisk(t *testing.T, bytes int) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a small file system")
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=0700,size="+strconv.Itoa(bytes)); err != nil {
		t.Skipf("mount a small file system: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
	return dir
}
