package emulator

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/sas"
)

func (o Options) hasAzure() bool { return slices.Contains(o.Protocols, fakedriver.ProtocolAzure) }

func (e *Emulator) startAzure(ctx context.Context) (err error) {
	e.azure, e.info.AzureEndpoint, err = startOther(ctx, e, ComponentAzure, portChoice{
		service: "Azure", wanted: e.opts.AzurePort, saved: e.origin.azurePort, moved: e.movedSecrets(),
	}, func(now func() time.Time, middleware func(http.Handler) http.Handler) (*azure.Service, error) {
		return azure.New(azure.Options{Store: e.store, MaxBodyBytes: e.opts.MaxBodyBytes, Now: now, Middleware: middleware})
	})
	return err
}

// keyTrial is the blob of a conditional write that never succeeds.
const keyTrial = "cosi-emu-key-trial"

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
	// The service checks the rights before the condition, which does not hold.
	written, err := e.tryAzureRequest(ctx, key, http.MethodPut, bucket, "/"+keyTrial, "")
	return written.code == http.StatusPreconditionFailed, err
}

func (e *Emulator) tryAzureRequest(ctx context.Context, key IssuedKey, method, bucket, path, query string) (*status, error) {
	answer := &status{header: http.Header{}}
	endpoint, err := url.Parse(e.info.AzureEndpoint)
	if err != nil {
		return answer, err
	}
	token := sas.Token(bucket, key.AccessKeyID, key.Secret, sas.AllPermissions, "https,http").Encode()
	if query != "" {
		token += "&" + query
	}
	target := sas.Container(endpoint, bucket).String() + path + "?" + token
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
