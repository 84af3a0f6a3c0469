package emulator

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/emulator/seam"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/azure"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/azure/sas"
)

func (o Options) hasAzure() bool { return slices.Contains(o.Protocols, fakedriver.ProtocolAzure) }

// startAzure starts the Azure service. What it stores is in the store, so that it is the same
// for all incarnations of the component.
func (e *Emulator) startAzure(ctx context.Context) error {
	port, err := e.reservePort(ctx, portChoice{
		service: "Azure", wanted: e.opts.AzurePort, saved: e.origin.azurePort, moved: e.movedSecrets(),
	})
	if err != nil {
		return err
	}
	e.info.AzureEndpoint = e.scheme() + net.JoinHostPort(e.opts.listen().Host(), port.number)
	var current atomic.Pointer[seam.Incarnation]
	if e.azure, err = azure.New(azure.Options{
		Store: e.store, MaxBodyBytes: e.opts.MaxBodyBytes, Now: clockOf(&current),
		Middleware: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				current.Load().Middleware(e.azure, next).ServeHTTP(w, r)
			})
		},
	}); err != nil {
		return err
	}
	return e.startComponent(ctx, ComponentAzure, func(ctx context.Context, i *seam.Incarnation) (Runner, error) {
		listener, err := port.listen(ctx)
		if err != nil {
			return nil, err
		}
		if e.tlsConfig != nil {
			listener = tls.NewListener(listener, e.tlsConfig)
		}
		current.Store(i)
		return server(func(ctx context.Context) error { return e.azure.Serve(ctx, listener) }), nil
	})
}

// tryAzure tries a key by a shared access signature that it signs, with all permissions: the
// grant decides.
func (e *Emulator) tryAzure(ctx context.Context, key IssuedKey, bucket string) (bool, error) {
	if bucket == "" {
		return false, nil // a signature is for a container
	}
	listed, err := e.tryAzureRequest(ctx, key, http.MethodGet, bucket, "", "restype=container&comp=list&maxresults=1")
	if err != nil || listed.code < http.StatusMultipleChoices {
		return err == nil, err
	}
	// The condition does not hold, which the service checks after the rights.
	written, err := e.tryAzureRequest(ctx, key, http.MethodPut, bucket, "/"+keyTrial, "")
	return written.code == http.StatusPreconditionFailed, err
}

func (e *Emulator) tryAzureRequest(ctx context.Context, key IssuedKey, method, bucket, path, query string) (*status, error) {
	answer := &status{header: http.Header{}}
	token := sas.Token(bucket, key.AccessKeyID, key.Secret, "racwdlt", "https,http").Encode()
	if query != "" {
		token += "&" + query
	}
	target := strings.TrimSuffix(e.info.AzureEndpoint, "/") + "/" + sas.Account(bucket) + "/" + bucket + path + "?" + token
	request, err := http.NewRequestWithContext(ctx, method, target, http.NoBody)
	if err != nil {
		return answer, err
	}
	request.RemoteAddr, request.RequestURI = controlplane.Loopback+":0", request.URL.RequestURI()
	if method == http.MethodPut {
		request.Header.Set("If-Match", `"none"`)
		request.Header.Set("X-Ms-Blob-Type", "BlockBlob")
	}
	e.azure.Unwrapped().ServeHTTP(answer, request)
	return answer, nil
}
