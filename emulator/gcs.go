package emulator

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
	"github.com/cosi-emu/cosi-emu/internal/keyring"
	"github.com/cosi-emu/cosi-emu/internal/signing"
)

func (o Options) validateProtocols() error {
	if o.Protocols != nil {
		if err := fakedriver.ValidateProtocols(o.Protocols); err != nil {
			return fmt.Errorf("%w: %w", ErrOptions, err)
		}
	}
	if !o.fake() && (o.Protocols != nil || o.GCSPort != 0 || o.AzurePort != 0) {
		return fmt.Errorf("%w: the protocols, and the ports of GCS and Azure, belong to the fake driver, which is left out", ErrOptions)
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

func (e *Emulator) startGCS(ctx context.Context) (err error) {
	e.gcs, e.info.GCSEndpoint, err = startOther(ctx, e, ComponentGCS, portChoice{
		service: "GCS", wanted: e.opts.GCSPort, saved: e.origin.gcsPort, moved: "clients of GCS must use the new port",
	}, func(now func() time.Time, middleware func(http.Handler) http.Handler) (*gcs.Service, error) {
		return gcs.New(gcs.Options{Store: e.store, MaxBodyBytes: e.opts.MaxBodyBytes, Now: now, Middleware: middleware})
	})
	if err == nil {
		e.keys.GCS = keyring.Service{Handler: e.gcs.Unwrapped(), Endpoint: e.info.GCSEndpoint, Region: signing.GoogleRegion}
	}
	return err
}

func (e *Emulator) backend() fakedriver.Backend {
	return e.keys.Record(e.store)
}
