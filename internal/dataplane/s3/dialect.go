package s3

import (
	"net/http"
	"net/url"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/authentication"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// noDifferences returns S3 as a dialect.
func noDifferences(authenticator *authentication.Authenticator) *s3exchange.Dialect {
	return &s3exchange.Dialect{
		Authenticate: authenticator.Authenticate,
		Translate:    func(r *http.Request, query url.Values) (*http.Request, url.Values, error) { return r, query, nil },
		Serves:       func(string) error { return nil },
		Protocol:     fakedriver.ProtocolS3,
		DefaultType:  "binary/octet-stream", MaxMetadataBytes: maxMetadata, MaxHeaderBytes: maxHeaderSection,
		Conditions:   func(http.Header, *objects.Conditions) error { return nil },
		Attributes:   func(http.Header, *objects.Attributes) error { return nil },
		Finish:       func(*objects.Draft) error { return nil },
		Describe:     func(http.Header, *objects.Version) {},
		AppendListed: func(to []byte, _ *objects.Version) []byte { return to },
	}
}

// translate turns a request of another service into one of S3.
func (s *Service) translate(x *s3exchange.Exchange) (err error) {
	x.R, x.Query, err = x.Dialect.Translate(x.R, x.Query)
	return err
}
