package emulator

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
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

// startGCS starts the GCS service. What it stores is in the store, so that it is the same for
// all incarnations of the component.
func (e *Emulator) startGCS(ctx context.Context) error {
	port, err := e.reservePort(ctx, portChoice{
		service: "GCS", wanted: e.opts.GCSPort, saved: e.origin.gcsPort, moved: "clients of GCS must use the new port",
	})
	if err != nil {
		return err
	}
	e.info.GCSEndpoint = e.scheme() + net.JoinHostPort(e.opts.listen().Host(), port.number)
	var current atomic.Pointer[seam.Incarnation]
	if e.gcs, err = gcs.New(gcs.Options{
		Store: e.store, MaxBodyBytes: e.opts.MaxBodyBytes, Now: clockOf(&current),
		Middleware: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { current.Load().Middleware(e.gcs, next).ServeHTTP(w, r) })
		},
	}); err != nil {
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

// scheme returns the scheme of the URLs of the store and of the GCS service.
func (e *Emulator) scheme() string {
	if e.tlsConfig != nil {
		return "https://"
	}
	return "http://"
}

// backend returns the backend of the fake driver.
func (e *Emulator) backend() fakedriver.Backend {
	return keyRecordingBackend{Backend: e.store, issued: &e.issuedKeys}
}
