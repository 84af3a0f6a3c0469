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

// validateProtocols finds what cannot be served.
func (o Options) validateProtocols() error {
	if o.Protocols != nil {
		if err := fakedriver.ValidateProtocols(o.Protocols); err != nil {
			return fmt.Errorf("%w: %w", ErrOptions, err)
		}
	}
	if !o.fake() && (o.Protocols != nil || o.GCSPort != 0) {
		return fmt.Errorf("%w: the protocols, and the GCS port, are those of the fake driver, which is left out", ErrOptions)
	}
	if o.GCSPort != 0 && !o.hasGCS() {
		return fmt.Errorf("%w: there is a GCS port, but GCS is not among the protocols", ErrOptions)
	}
	return nil
}

func (o Options) hasGCS() bool { return slices.Contains(o.Protocols, fakedriver.ProtocolGCS) }

// startGCS opens the GCS service, which keeps its contents over the incarnations of the
// component, like the store.
func (e *Emulator) startGCS(ctx context.Context) error {
	port, err := reservePort(ctx, "GCS", e.opts.GCSPort)
	if err != nil {
		return err
	}
	e.info.GCSEndpoint = e.scheme() + net.JoinHostPort(loopback, port)
	var current atomic.Pointer[seam.Incarnation]
	opts := gcs.Options{
		Store: e.store, MaxBodyBytes: e.opts.MaxBodyBytes, Now: clockOf(&current),
		Middleware: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { current.Load().Middleware(e.gcs, next).ServeHTTP(w, r) })
		},
	}
	if e.opts.DataDir != "" {
		opts.Dir = filepath.Join(e.opts.DataDir, "gcs")
	}
	if e.gcs, err = gcs.New(ctx, opts); err != nil {
		return err
	}
	return e.startComponent(ctx, ComponentGCS, func(ctx context.Context, i *seam.Incarnation) (Runner, error) {
		listener, err := listenTCP(ctx, "GCS", net.JoinHostPort(loopback, port))
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

// scheme is how URLs of the store and of its guests begin.
func (e *Emulator) scheme() string {
	if e.tlsConfig != nil {
		return "https://"
	}
	return "http://"
}

// backend is what the fake driver provisions from.
func (e *Emulator) backend() fakedriver.Backend {
	return keyRecordingBackend{Backend: e.storage(), issued: &e.issuedKeys}
}

// storage are the store, with the objects of the GCS service if there is one.
func (e *Emulator) storage() interface {
	fakedriver.Backend
	forgetter
} {
	if e.gcs != nil {
		return e.gcs.Backend()
	}
	return e.store
}

// EmptyGCS deletes all that is in a bucket of GCS, past the seams and so past the
// journal. It does nothing if there is no GCS service.
func (e *Emulator) EmptyGCS(ctx context.Context, bucket string) error {
	if e.gcs == nil {
		return nil
	}
	return e.gcs.Empty(ctx, bucket)
}
