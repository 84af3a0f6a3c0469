package store

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// passed are the headers that gofakes3 may see, besides user metadata: it stores
// every X-Amz- header that reaches it, tokens and checksums too.
var passed = []string{
	"Content-Disposition", "Content-Encoding", "Content-Type", "If-Match", "If-Modified-Since", "If-None-Match",
	"Range", "X-Amz-Metadata-Directive",
}

const metadataPrefix = "X-Amz-Meta-"

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
	for name, values := range x.r.Header {
		if slices.Contains(passed, name) || strings.HasPrefix(name, metadataPrefix) {
			header[name] = values
		}
	}
	if x.operation.CopySource {
		if header.Get("X-Amz-Metadata-Directive") != "REPLACE" {
			clear(header) // all of it comes from the source
		}
		header.Set("X-Amz-Copy-Source", x.source.header())
	}
	if x.r.Header.Get("If-Range") != "" {
		header.Del("Range") // the whole object is always a right answer
	}
	setContentEncoding(header)
	return header
}

// setContentEncoding removes the encoding that has been decoded.
func setContentEncoding(header http.Header) {
	var kept []string
	for encoding := range strings.SplitSeq(strings.Join(header.Values("Content-Encoding"), ","), ",") {
		if encoding = strings.TrimSpace(encoding); encoding != "" && encoding != "aws-chunked" {
			kept = append(kept, encoding)
		}
	}
	header.Del("Content-Encoding")
	if len(kept) > 0 {
		header.Set("Content-Encoding", strings.Join(kept, ","))
	}
}
