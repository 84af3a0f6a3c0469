package s3core

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
)

// requestFor returns the request for gofakes3. It consists of validated parts only, so that
// gofakes3 cannot interpret the client's request differently.
func requestFor(x *s3exchange.Exchange) *http.Request {
	r := x.R.WithContext(x.R.Context())
	r.URL = &url.URL{Path: "/" + x.Bucket + "/" + x.Key, RawQuery: queryFor(x)}
	r.Header, r.Trailer, r.TransferEncoding = headerFor(x), nil, nil
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(x.Body)), int64(len(x.Body))
	return r
}

func queryFor(x *s3exchange.Exchange) string {
	query := url.Values{}
	for name, values := range x.Query {
		if slices.Contains(x.Operation.Selects, name) || slices.Contains(x.Operation.Takes, name) {
			query[name] = values
		}
	}
	return query.Encode()
}

func headerFor(x *s3exchange.Exchange) http.Header {
	header := http.Header{"Content-Length": {strconv.Itoa(len(x.Body))}}
	if x.ByteRange != "" {
		header.Set("Range", x.ByteRange)
	}
	return header
}
