package conformance_test

import (
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/azure"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/azure/sas"
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
	if d.setup.anyContainer {
		handler = d.anyContainer(handler)
	}
	server := httptest.NewServer(handler)
	d.t.Cleanup(server.Close)
	d.options.AzureEndpoint = server.URL
}

// anyContainer has the service ignore for which container a signature is: it takes the one that
// the access is for.
func (d *driver) anyContainer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		accounts, err := d.backend.Accounts(r.Context())
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		for _, account := range accounts {
			if account.AccessKeyID == r.URL.Query().Get("si") {
				granted := account.Grants[0].Bucket
				_, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/") // after the account
				_, blob, _ := strings.Cut(path, "/")
				r.URL.Path, r.URL.RawPath = "/"+strings.TrimSuffix(sas.Account(granted)+"/"+granted+"/"+blob, "/"), ""
			}
		}
		next.ServeHTTP(w, r)
	})
}
