package answers

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// gofakes3Request returns the request for gofakes3. It consists of validated parts only, so that
// gofakes3 cannot interpret the client's request differently.
func gofakes3Request(x *exchange) *http.Request {
	r := x.R.WithContext(x.R.Context())
	r.URL = &url.URL{Path: "/" + x.Bucket + "/" + x.Key, RawQuery: gofakes3Query(x)}
	r.Header, r.Trailer, r.TransferEncoding = gofakes3Header(x), nil, nil
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(x.Body)), int64(len(x.Body))
	return r
}

func gofakes3Query(x *exchange) string {
	query := url.Values{}
	for name, values := range x.Query {
		if slices.Contains(x.Operation.Selects, name) || slices.Contains(x.Operation.Takes, name) {
			query[name] = values
		}
	}
	return query.Encode()
}

func gofakes3Header(x *exchange) http.Header {
	header := http.Header{"Content-Length": {strconv.Itoa(len(x.Body))}}
	if x.byteRange != "" {
		header.Set("Range", x.byteRange)
	}
	return header
}
