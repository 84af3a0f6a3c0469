package protocol_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
)

// TestGzip: clients that accept compressed content get it unchanged, others unpacked.
func TestGzip(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := bearer(f.account(t, "app", all("photos")))
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte("plain"))
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	f.do(t, request{method: "POST", path: upload + "&name=x&contentEncoding=gzip", body: packed.String()}, key)
	f.do(t, request{method: "POST", path: upload + "&name=broken&contentEncoding=gzip", body: "not packed"}, key)
	for _, tc := range []struct{ name, accept, encoding, want string }{
		{"x", "gzip", "gzip", packed.String()}, {"x", "", "", "plain"}, {"x", "br", "", "plain"}, {"broken", "gzip", "gzip", "not packed"},
	} {
		get := request{method: "GET", path: "/photos/" + tc.name, header: http.Header{"Accept-Encoding": {tc.accept}}}
		status, header, body := f.do(t, get, key)
		if status != ok || string(body) != tc.want || header.Get("Content-Encoding") != tc.encoding {
			t.Errorf("%s for %q: %d %q, encoding %q", tc.name, tc.accept, status, body, header.Get("Content-Encoding"))
		}
	}
	if status, _, body := f.do(t, request{method: "GET", path: "/photos/broken"}, key); status != 400 {
		t.Errorf("what cannot be unpacked: %d %s", status, body)
	}
	account := f.account(t, "signer", all("photos"))
	for _, tc := range []struct{ method, accept, encoding, want string }{
		{"GET", "gzip", "gzip", packed.String()}, {"GET", "", "", "plain"}, {"HEAD", "", "", ""}, {"HEAD", "gzip", "gzip", ""},
	} {
		path := f.signedURL(account, tc.method, "/photos/x", time.Now().UTC(), nil, nil)
		get := request{method: tc.method, path: path, header: http.Header{"Accept-Encoding": {tc.accept}}}
		status, header, body := f.do(t, get, "")
		if status != ok || string(body) != tc.want || header.Get("Content-Encoding") != tc.encoding {
			t.Errorf("signed %s for %q: %d %q, encoding %q", tc.method, tc.accept, status, body, header.Get("Content-Encoding"))
		}
	}
}
