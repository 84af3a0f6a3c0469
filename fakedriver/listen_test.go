package fakedriver_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// KEP: DRIVER-1
func TestOverSocket(t *testing.T) {
	path := filepath.Join(harness.SocketDir(t), "new", "cosi.sock")
	// Spec: A1-SOCK-2
	t.Run("Serve", func(t *testing.T) {
		l, err := fakedriver.Listen("unix://" + path)
		if err != nil {
			t.Fatal(err)
		}
		startOn(t, l, fakedriver.Options{})
		if _, err := dial(t, "unix://"+path).DriverGetInfo(t.Context(), &cosiv1alpha2.DriverGetInfoRequest{}); err != nil {
			t.Errorf("DriverGetInfo(): %v", err)
		}
		info, err := os.Stat(filepath.Dir(path))
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the directory has mode %v, %v; want 0700", info.Mode(), err)
		}
		if _, err := fakedriver.Listen("unix://" + path); err == nil || !strings.Contains(err.Error(), "in use") {
			t.Errorf("Listen() on a socket in use = %v", err)
		}
	})
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the socket is still there: %v", err)
	}
}
