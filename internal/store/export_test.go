package store

import (
	"net/http"
	"net/url"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/authentication"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/postform"
)

// AuthenticateS3 lets the fuzz targets authenticate a request without side effects.
func (s *Store) AuthenticateS3(r *http.Request) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return err
	}
	authenticator := authentication.New(s.registry, s.options.Now)
	if postform.Is(r) && !authentication.IsSigned(r, query) {
		form, err := postform.Read(r)
		if err == nil {
			_, _, err = authenticator.AuthenticateForm(form)
		}
		return err
	}
	_, _, err = authenticator.Authenticate(r, query)
	return err
}
