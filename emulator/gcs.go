package emulator

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/emulator/seam"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/gcs"
)

// validateProtocols rejects unsupported protocols.
func (o Options) validateProtocols() error {
	if o.Protocols != nil {
		if err := fakedriver.ValidateProtocols(o.Protocols); err != nil {
			return fmt.Errorf("%w: %w", ErrOptions, err)
		}
	}
	if !o.fake() && (o.Protocols != nil || o.GCSPort != 0 || o.AzurePort != 0) {
		return fmt.Errorf("%w: the protocols, and the ports of GCS and Azure, are those of the fake driver, which is left out", ErrOptions)
	}
	if o.GCSPort != 0 && !o.hasGCS() {
		return fmt.Errorf("%w: there is a GCS port, but GCS is not among the protocols", ErrOptions)
	}
	if o.AzurePort != 0 && !o.hasAzure() {
		return fmt.Errorf("%w: there is an Azure port, but Azure is not among the protocols", ErrOptions)
	}
	return nil
}

func (o Options) hasGCS() bool { return slices.Contains(o.Protocols, fakedriver.ProtocolGCS) }

// startGCS starts the GCS service. Like the store, it keeps its contents over the
// incarnations of the component.
func (e *Emulator) startGCS(ctx context.Context) error {
	port, err := e.reservePort(ctx, portChoice{
		service: "GCS", wanted: e.opts.GCSPort, saved: e.origin.gcsPort, moved: "clients of GCS must use the new port",
	})
	if err != nil {
		return err
	}
	e.info.GCSEndpoint = e.scheme() + net.JoinHostPort(e.opts.listen().Host(), port.number)
	var current atomic.Pointer[seam.Incarnation]
	opts := gcs.Options{
		Store: e.store, MaxBodyBytes: e.opts.MaxBodyBytes, Now: clockOf(&current),
		Middleware: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { current.Load().Middleware(e.gcs, next).ServeHTTP(w, r) })
		},
	}
	if e.dataDir() != "" {
		opts.Dir = gcsDir(e.dataDir())
	}
	if e.gcs, err = gcs.New(ctx, opts); err != nil {
		return err
	}
	return e.startComponent(ctx, ComponentGCS, func(ctx context.Context, i *seam.Incarnation) (Runner, error) {
		listener, err := port.listen(ctx)
		if err != nil {
			return nil, err
		}
		if e.tlsConfig != nil {
			listener = tls.NewListener(listener, e.tlsConfig)
		}
		current.Store(i)
		return server(func(ctx context.Context) error { return e.gcs.Serve(ctx, listener) }), nil
	})
}

// gcsDir is the subdirectory for the files of the GCS service in a data directory.
func gcsDir(dir string) string { return filepath.Join(dir, "gcs") }

// scheme returns the scheme of the URLs of the store and of the GCS service.
func (e *Emulator) scheme() string {
	if e.tlsConfig != nil {
		return "https://"
	}
	return "http://"
}

// backend returns the backend of the fake driver.
func (e *Emulator) backend() fakedriver.Backend {
	return keyRecordingBackend{Backend: e.storage(), issued: &e.issuedKeys}
}

// storage returns the store, with the objects of the GCS service if there is one.
func (e *Emulator) storage() interface {
	fakedriver.Backend
	forgetter
} {
	if e.gcs != nil {
		return e.gcs.Backend()
	}
	return e.store
}

// EmptyGCS deletes all objects of a GCS bucket. It bypasses the seams, so the journal
// does not show it. It does nothing if there is no GCS service.
func (e *Emulator) EmptyGCS(ctx context.Context, bucket string) error {
	if e.gcs == nil {
		return nil
	}
	return e.gcs.Empty(ctx, bucket)
}
