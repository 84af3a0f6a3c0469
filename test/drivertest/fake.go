package drivertest

import (
	"context"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store"
)

// ServeFake serves a fake driver with a store of its own until the test ends, and returns
// its endpoint. The driver tells applications the given S3 endpoint.
func ServeFake(tb testing.TB, name, s3Endpoint string) string {
	tb.Helper()
	s3, err := store.New(store.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	d, err := fakedriver.New(fakedriver.Options{Name: name, Backend: s3, Endpoint: s3Endpoint})
	if err != nil {
		tb.Fatal(err)
	}
	endpoint := "unix://" + filepath.Join(tb.TempDir(), "d.sock")
	listener, err := fakedriver.Listen(endpoint)
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(tb.Context())
	var served sync.WaitGroup
	served.Go(func() {
		if err := d.Serve(ctx, listener); err != nil {
			tb.Errorf("Serve() = %v", err)
		}
	})
	tb.Cleanup(func() {
		cancel()
		served.Wait()
		if err := s3.Close(); err != nil {
			tb.Error(err)
		}
	})
	return endpoint
}
