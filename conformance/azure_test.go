package conformance_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"

	"google.golang.org/grpc"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// azureService is as much of Azure Blob Storage as the suite uses. It knows the signatures
// that the driver has returned, and asks the store whether their accounts exist.
type azureService struct {
	d *driver

	mu         sync.Mutex
	signatures map[string]string // by signed identifier, which is the access key ID
	blobs      map[string][]byte // by path
}

func (d *driver) serveAzure() {
	if !d.serves(fakedriver.ProtocolAzure) {
		return
	}
	a := &azureService{d: d, signatures: map[string]string{}, blobs: map[string][]byte{}}
	d.options.ServerOptions = append(d.options.ServerOptions, grpc.ChainUnaryInterceptor(a.observe))
	server := httptest.NewServer(a)
	d.t.Cleanup(server.Close)
	d.azureEndpoint = server.URL
}

// observe learns the signatures.
func (a *azureService) observe(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	response, err := handle(ctx, request)
	var token string
	switch r := response.(type) {
	case *cosiv1alpha2.DriverGrantBucketAccessResponse:
		token = r.GetCredentials().GetAzure().GetAccessToken()
	case *cosiv1alpha1.DriverGrantBucketAccessResponse:
		token = r.GetCredentials()[cosiv1alpha1.CredentialsAzure].GetSecrets()[cosiv1alpha1.AzureAccessToken]
	}
	if uri, parseErr := url.Parse(token); err == nil && parseErr == nil && token != "" {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.signatures[uri.Query().Get("si")] = uri.Query().Get("sig")
	}
	return response, err
}

// allows returns whether a request is for what its signature is.
func (a *azureService) allows(r *http.Request, permission string) bool {
	query := r.URL.Query()
	if a.signatures[query.Get("si")] != query.Get("sig") || !strings.Contains(query.Get("sp"), permission) {
		return false
	}
	accounts, err := a.d.backend.Accounts(r.Context())
	if err != nil {
		return false
	}
	container, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	for _, account := range accounts {
		if account.AccessKeyID == query.Get("si") {
			return account.Grants[0].Bucket == container || a.d.setup.anyContainer
		}
	}
	return false
}

// ServeHTTP implements http.Handler.
func (a *azureService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	permission := map[string]string{http.MethodPut: "w", http.MethodGet: "r", http.MethodDelete: "d"}[r.Method]
	if r.URL.Query().Get("comp") == "list" {
		permission = "l"
	}
	if !a.allows(r, permission) {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	content, exists := a.blobs[r.URL.Path]
	switch {
	case permission == "w":
		if r.Header.Get("X-Ms-Blob-Type") != "BlockBlob" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		a.blobs[r.URL.Path], _ = io.ReadAll(r.Body)
		w.WriteHeader(http.StatusCreated)
	case permission == "l":
	case !exists:
		w.WriteHeader(http.StatusNotFound)
	case permission == "d":
		delete(a.blobs, r.URL.Path)
		w.WriteHeader(http.StatusAccepted)
	default:
		_, _ = w.Write(content)
	}
}
