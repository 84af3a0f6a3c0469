package emulator

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure"
	"github.com/cosi-emu/cosi-emu/internal/keyring"
)

func (o Options) hasAzure() bool { return slices.Contains(o.Protocols, fakedriver.ProtocolAzure) }

func (e *Emulator) startAzure(ctx context.Context) (err error) {
	e.azure, e.info.AzureEndpoint, err = startOther(ctx, e, ComponentAzure, portChoice{
		service: "Azure", wanted: e.opts.AzurePort, saved: e.origin.azurePort, moved: e.movedSecrets(),
	}, func(now func() time.Time, middleware func(http.Handler) http.Handler) (*azure.Service, error) {
		return azure.New(azure.Options{Store: e.store, MaxBodyBytes: e.opts.MaxBodyBytes, Now: now, Middleware: middleware})
	})
	if err == nil {
		e.keys.Azure = keyring.Service{Handler: e.azure.Unwrapped(), Endpoint: e.info.AzureEndpoint}
	}
	return err
}
