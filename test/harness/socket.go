package harness

import (
	"os"
	"testing"
)

// SocketDir returns a directory whose path is short enough for sockets. It is removed at the end.
func SocketDir(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("", "cosi") //nolint:usetesting // t.TempDir's path is longer than some systems allow
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
