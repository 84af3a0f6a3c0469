package store

import (
	"net/http"
	"net/url"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/s3/authentication"
)

// AuthenticateS3 lets the fuzz targets ask who a request is from, and nothing else.
func (s *Store) AuthenticateS3(r *http.Request) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return err
	}
	_, _, err = authentication.New(s.registry, s.options.Now).Authenticate(r, query)
	return err
}
