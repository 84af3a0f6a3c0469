package driversocket_test

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/driversocket"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

func TestE63StaleSocket(t *testing.T) {
	path := filepath.Join(harness.SocketDir(t), "cosi.sock")
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	left.SetUnlinkOnClose(false) // as after kill -9
	if err := left.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := driversocket.Listen("unix://" + path)
	if err != nil {
		t.Fatalf("Listen() on a stale socket: %v", err)
	}
	_ = l.Close()
}

func TestListenRejects(t *testing.T) {
	dir := harness.SocketDir(t)
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	long := "/" + strings.Repeat("a", 120)
	for name, tc := range map[string]struct{ endpoint, mentions string }{
		"Empty":     {"", "unix:///"},
		"TCP":       {"tcp://127.0.0.1:1", "unix:///"},
		"NoScheme":  {"/run/cosi.sock", "unix:///"},
		"Relative":  {"unix:cosi.sock", "absolute"},
		"TooLong":   {"unix://" + long, strconv.Itoa(len(long)) + " bytes"},
		"File":      {"unix://" + file, "not a socket"},
		"Directory": {"unix://" + dir, "not a socket"},
		"BelowFile": {"unix://" + file + "/cosi.sock", "directory"},
	} {
		l, err := driversocket.Listen(tc.endpoint)
		if err == nil {
			_ = l.Close()
			t.Errorf("%s: Listen(%q) succeeds", name, tc.endpoint)
		} else if !strings.Contains(err.Error(), tc.mentions) {
			t.Errorf("%s: error %q does not mention %q", name, err, tc.mentions)
		}
	}
	if content, err := os.ReadFile(file); err != nil || string(content) != "mine" {
		t.Errorf("the file is %q, %v", content, err)
	}
}
