//go:build !linux

package harness

import "testing"

// SmallDisk skips the test: a small file system can be mounted on Linux only.
func SmallDisk(t *testing.T, _ int) string {
	t.Helper()
	t.Skip("a small file system can be mounted on Linux only")
	return ""
}
