package store

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// coreRequest returns the request that gofakes3 sees: made of what has been
// checked, so that it cannot find another meaning in what the client sent.
func coreRequest(x *exchange) *http.Request {
	r := x.r.WithContext(x.r.Context())
	r.URL = &url.URL{Path: "/" + x.bucket + "/" + x.key, RawQuery: coreQuery(x)}
	r.Header, r.Trailer, r.TransferEncoding = coreHeader(x), nil, nil
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(x.body)), int64(len(x.body))
	return r
}

func coreQuery(x *exchange) string {
	query := url.Values{}
	for name, values := range x.query {
		if slices.Contains(x.operation.Selects, name) || slices.Contains(x.operation.Takes, name) {
			query[name] = values
		}
	}
	return query.Encode()
}

func coreHeader(x *exchange) http.Header {
	header := http.Header{"Content-Length": {strconv.Itoa(len(x.body))}}
	if x.byteRange != "" {
		header.Set("Range", x.byteRange)
	}
	return header
}
