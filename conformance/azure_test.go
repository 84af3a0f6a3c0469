package conformance_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/sas"
)

func (d *driver) serveAzure() {
	d.t.Helper()
	if !d.serves(fakedriver.ProtocolAzure) {
		return
	}
	service, err := azure.New(azure.Options{Store: d.backend})
	if err != nil {
		d.t.Fatal(err)
	}
	handler := service.Handler()
	if d.setup.azure != nil {
		handler = d.setup.azure(d, handler)
	}
	server := httptest.NewServer(handler)
	d.t.Cleanup(server.Close)
	d.options.AzureEndpoint = server.URL
}

// resign changes the parameters of a shared access signature.
func resign(m *granted, change func(query url.Values)) {
	token := m.GetCredentials().GetAzure()
	uri, err := url.Parse(token.GetAccessToken())
	if token == nil || err != nil {
		return
	}
	query := uri.Query()
	change(query)
	uri.RawQuery = query.Encode()
	token.AccessToken = uri.String()
}

// digestSignature is a signature that only depends on the account.
func digestSignature(account string) string {
	sum := sha256.Sum256([]byte(account))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// ofSignature changes requests with a shared access signature, whose account the store knows.
func ofSignature(d *driver, next http.Handler, change func(r *http.Request, query url.Values, a fakedriver.Account)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		accounts, err := d.backend.Accounts(r.Context())
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		query := r.URL.Query()
		for _, account := range accounts {
			if account.AccessKeyID == query.Get("si") {
				change(r, query, account)
			}
		}
		next.ServeHTTP(w, r)
	})
}

// acceptAnyContainer has the service ignore for which container a signature is.
func acceptAnyContainer(d *driver, next http.Handler) http.Handler {
	return ofSignature(d, next, func(r *http.Request, _ url.Values, a fakedriver.Account) {
		granted := a.Grants[0].Bucket
		_, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/") // after the account
		_, blob, _ := strings.Cut(path, "/")
		r.URL.Path, r.URL.RawPath = strings.TrimSuffix("/"+sas.Account(granted)+"/"+granted+"/"+blob, "/"), ""
	})
}

// acceptDigests has the service accept digestSignature.
func acceptDigests(d *driver, next http.Handler) http.Handler {
	return ofSignature(d, next, func(r *http.Request, query url.Values, a fakedriver.Account) {
		caller, err := d.backend.Caller(a.AccessKeyID)
		if err != nil || query.Get("sig") != digestSignature(a.ID) {
			return
		}
		container := strings.Split(r.URL.Path, "/")[2] // /ACCOUNT/CONTAINER
		query.Set("sig", sas.Sign(sas.Account(container), container, query, caller.Secret()))
		r.URL.RawQuery = query.Encode()
	})
}
