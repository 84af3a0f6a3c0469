package gcs

import (
	"net/http"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
)

// overrideHeader has the method of a request of the JSON API, from clients that can send GET and POST
// only, such as Google's for Java.
const overrideHeader = "X-Http-Method-Override"

var overriding = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// overridden returns the request with the method that the client means.
func overridden(r *http.Request) (*http.Request, error) {
	values := r.Header[overrideHeader]
	if len(values) == 0 || !isJSON(r.URL.EscapedPath()) {
		return r, nil
	}
	method := strings.ToUpper(values[0])
	switch {
	case len(values) > 1, !slices.Contains(overriding, method):
		return r, failure.ErrInvalid.With("The header X-HTTP-Method-Override must be one of " + strings.Join(overriding, ", "))
	case r.Method != http.MethodPost:
		return r, failure.ErrInvalid.With("The header X-HTTP-Method-Override requires the method POST")
	}
	meant := r.WithContext(r.Context())
	meant.Header = r.Header.Clone()
	meant.Header.Del(overrideHeader)
	meant.Method = method
	return meant, nil
}
