package drivertest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3"
	"github.com/cosi-emu/cosi-emu/internal/store"
)

// ServeFake serves a fake driver with a store of its own until the test ends, and returns
// its endpoint. The driver tells applications the given S3 endpoint.
func ServeFake(tb testing.TB, name, s3Endpoint string, change ...func(*fakedriver.Options)) string {
	tb.Helper()
	backend, err := store.New(store.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := backend.Close(); err != nil {
			tb.Error(err)
		}
	})
	options := fakedriver.Options{Name: name, Backend: backend, Endpoint: s3Endpoint}
	for _, f := range change {
		f(&options)
	}
	return serve(tb, options)
}

// ServeWithStore serves a fake driver and the S3 service of its store until the test ends, and
// returns the endpoint of the driver. The driver uses the store through wrap, and observe is
// called with each request to the service.
func ServeWithStore(
	tb testing.TB, name string, wrap func(fakedriver.Backend) fakedriver.Backend, observe func(*http.Request),
) string {
	tb.Helper()
	backend, err := store.New(store.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	plane, err := s3.New(s3.Options{Options: pipeline.Options{Store: backend}})
	if err != nil {
		tb.Fatal(err)
	}
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		observe(r)
		plane.Handler().ServeHTTP(w, r)
	}))
	tb.Cleanup(func() {
		service.Close()
		if err := backend.Close(); err != nil {
			tb.Error(err)
		}
	})
	return serve(tb, fakedriver.Options{Name: name, Backend: wrap(backend), Endpoint: service.URL, Region: backend.Region()})
}

func serve(tb testing.TB, opts fakedriver.Options) string {
	tb.Helper()
	d, err := fakedriver.New(opts)
	if err != nil {
		tb.Fatal(err)
	}
	endpoint := "unix://" + filepath.Join(tb.TempDir(), "d.sock")
	listener, err := fakedriver.Listen(endpoint)
	if err != nil {
		tb.Fatal(err)
	}
	// The driver serves until its own clean-up: a test's earlier clean-ups may need it.
	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context()))
	var served sync.WaitGroup
	served.Go(func() {
		if err := d.Serve(ctx, listener); err != nil {
			tb.Errorf("Serve() = %v", err)
		}
	})
	tb.Cleanup(func() {
		cancel()
		served.Wait()
	})
	return endpoint
}
