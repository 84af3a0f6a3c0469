package emulator_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store"
)

// TestJoinDriver has a sidecar serve somebody's driver, and leave it running.
func TestJoinDriver(t *testing.T) {
	emu := emulatortest.Start(t, emulator.Options{})
	if _, err := emu.JoinDriver(t.Context(), "own", emu.Info().DriverEndpoint); !errors.Is(err, emulator.ErrOptions) {
		t.Errorf("JoinDriver() of the driver that is served already = %v, want ErrOptions", err)
	}
	if _, err := emu.JoinDriver(t.Context(), "far", "dns:///driver.example.com"); !errors.Is(err, emulator.ErrOptions) {
		t.Errorf("JoinDriver() over the network = %v, want ErrOptions", err)
	}
	endpoint := serveElsewhere(t, "theirs.test")
	joined, err := emu.JoinDriver(t.Context(), "theirs", endpoint)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"sidecar": emu.Info().DriverName, "sidecar.theirs": "theirs.test"}
	if diff := cmp.Diff(want, emu.Served()); diff != "" {
		t.Errorf("Served() (-want +got):\n%s", diff)
	}
	if err := joined.Remove(t.Context()); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(map[string]string{"sidecar": emu.Info().DriverName}, emu.Served()); diff != "" {
		t.Errorf("Served() when it has left (-want +got):\n%s", diff)
	}
}

// serveElsewhere serves a fake driver that is not the emulator's, and returns its
// endpoint.
func serveElsewhere(t *testing.T, name string) string {
	t.Helper()
	s3, err := store.New(store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := fakedriver.New(fakedriver.Options{Name: name, Backend: s3, Endpoint: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	endpoint := "unix://" + filepath.Join(t.TempDir(), "d.sock")
	listener, err := fakedriver.Listen(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var served sync.WaitGroup
	served.Go(func() {
		if err := d.Serve(ctx, listener); err != nil {
			t.Errorf("Serve() = %v", err)
		}
	})
	t.Cleanup(func() {
		cancel()
		served.Wait()
		if err := s3.Close(); err != nil {
			t.Error(err)
		}
	})
	return endpoint
}
