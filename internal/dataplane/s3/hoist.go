package s3

import (
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
)

// hoist turns headers that an SDK has moved into a presigned URL back into headers. The signature
// covers the URL, so they count as signed headers. Without a signature in the URL they are query
// parameters, which the table of operations rejects.
func (s *Service) hoist(x *s3exchange.Exchange) (err error) {
	if x.Signature.Presigned {
		x.R, x.Query, err = hoisted(x.R, x.Query)
	}
	return err
}

// hoisted returns the request with the headers of its URL, and the rest of the query.
func hoisted(r *http.Request, query url.Values) (*http.Request, url.Values, error) {
	var header http.Header
	rest := make(url.Values, len(query))
	for parameter, values := range query {
		name := textproto.CanonicalMIMEHeaderKey(parameter)
		switch {
		case !isHoistable(name):
			rest[parameter] = values
			continue
		case isOfNoBody(name, r):
			continue
		case header == nil:
			header = r.Header.Clone()
		}
		if len(values) != 1 || (strings.HasPrefix(name, amzPrefix) && isOther(header, name, values[0])) {
			return r, query, s3error.ErrInvalidArgument.With("The header " + strings.ToLower(name) + " is given more than once")
		}
		header.Set(name, values[0])
	}
	if header != nil {
		r = r.WithContext(r.Context())
		r.Header = header
	}
	return r, rest, nil
}

const amzPrefix = "X-Amz-"

// isOther reports whether a header already has another value.
func isOther(header http.Header, name, value string) bool {
	values, given := header[name]
	return given && (len(values) != 1 || values[0] != value)
}

// contentHeaders are the headers about an object that SDKs move into URLs, besides those with S3's
// prefix.
var contentHeaders = []string{
	"Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Language", "Content-Md5", "Content-Type", "Expires",
}

// signing are the parameters with S3's prefix that belong to the URL, and not to a header.
var signing = []string{
	"X-Amz-Algorithm", "X-Amz-Content-Sha256", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-Security-Token",
	"X-Amz-Signature", "X-Amz-Signedheaders",
}

func isHoistable(name string) bool {
	if strings.HasPrefix(name, amzPrefix) {
		return !slices.Contains(signing, name)
	}
	return slices.Contains(contentHeaders, name)
}

// isOfNoBody reports whether a parameter of a presigned upload describes a body. An SDK has none when it presigns, so
// S3 ignores these parameters.
func isOfNoBody(name string, r *http.Request) bool {
	return r.Method == http.MethodPut && (name == "X-Amz-Sdk-Checksum-Algorithm" || checksum.IsHeader(name))
}
