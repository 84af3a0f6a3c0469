package protocol_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
)

// TestGzip: clients that accept compressed content get it unchanged, others unpacked.
func TestGzip(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := bearer(f.account(t, "app", all("photos")))
	packed := packed(t, "plain")
	f.do(t, request{method: "POST", path: upload + "&name=x&contentEncoding=gzip", body: packed}, key)
	f.do(t, request{method: "POST", path: upload + "&name=broken&contentEncoding=gzip", body: "not packed"}, key)
	for _, tc := range []struct{ name, accept, encoding, want string }{
		{"x", "gzip", "gzip", packed}, {"x", "", "", "plain"}, {"x", "br", "", "plain"}, {"broken", "gzip", "gzip", "not packed"},
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
		{"GET", "gzip", "gzip", packed}, {"GET", "", "", "plain"}, {"HEAD", "", "", ""}, {"HEAD", "gzip", "gzip", ""},
	} {
		path := f.signedURL(account, tc.method, "/photos/x", time.Now().UTC(), nil, nil)
		get := request{method: tc.method, path: path, header: http.Header{"Accept-Encoding": {tc.accept}}}
		status, header, body := f.do(t, get, "")
		if status != ok || string(body) != tc.want || header.Get("Content-Encoding") != tc.encoding {
			t.Errorf("signed %s for %q: %d %q, encoding %q", tc.method, tc.accept, status, body, header.Get("Content-Encoding"))
		}
	}
}

func packed(t *testing.T, text string) string {
	t.Helper()
	var result bytes.Buffer
	w := gzip.NewWriter(&result)
	_, err := w.Write([]byte(text))
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return result.String()
}

// TestCompressedBodies sends requests as Google's clients for Java and .NET do, which compress documents and
// small uploads and send PATCH as POST.
//
//nolint:lll // one case a line
func TestCompressedBodies(t *testing.T) {
	f := serve(t, gcs.Options{Options: pipeline.Options{MaxBodyBytes: 64 << 10}})
	key := bearer(f.account(t, "app", all("photos")))
	const related = "--b\r\nContent-Type: application/json\r\n\r\n{\"name\":\"small\",\"contentEncoding\":\"x\"}\r\n--b\r\nContent-Type: text/plain\r\n\r\ncontent\r\n--b--\r\n"
	whole := packed(t, "content")
	for _, tc := range []struct {
		name, method, path, body, encoding string
		header                             []string
		want                               int
		have                               string // in the response
	}{
		{"Patch", "POST", objectX, packed(t, `{"metadata":{"a":"1"}}`), "gzip", []string{"X-Http-Method-Override", "PATCH"}, 200, `"a":"1"`},
		{"Rewrite", "POST", objectX + "/rewriteTo/b/photos/o/y", packed(t, `{"contentType":"t/y"}`), "gzip", nil, 200, `"contentType":"t/y"`},
		{"Compose", "POST", "/storage/v1/b/photos/o/z/compose", packed(t, `{"sourceObjects":[{"name":"x"},{"name":"x"}]}`), "gzip", nil, 200, `"size":"2"`},
		{"Begin", "POST", "/upload/storage/v1/b/photos/o?uploadType=resumable&name=r", packed(t, `{"name":"r"}`), "gzip", []string{"X-Upload-Content-Type", "text/plain"}, 200, ""},
		{"Multipart", "POST", "/upload/storage/v1/b/photos/o?uploadType=multipart", packed(t, related), "gzip", []string{"Content-Type", "multipart/related; boundary=b"}, 200, `"contentEncoding":"x"`},
		{"Media", "POST", upload + "&name=m", whole, "gzip", nil, 200, `"size":"7"`},
		{"Checksum", "POST", upload + "&name=m", whole, "gzip", []string{"X-Goog-Hash", "md5=mgNkuembtIDdJeHwKEyFVQ=="}, 200, `"size":"7"`},
		{"Empty", "POST", objectX + "/copyTo/b/photos/o/y", "", "gzip", nil, 200, `"name":"y"`},
		{"NotPacked", "POST", upload + "&name=n", "a content that is not packed", "gzip", nil, 400, "does not match its Content-Encoding"},
		{"Damaged", "POST", upload + "&name=n", whole[:len(whole)-8] + "12345678", "gzip", nil, 400, "does not match its Content-Encoding"},
		{"CutShort", "POST", upload + "&name=n", whole[:len(whole)-9], "gzip", nil, 400, "invalid"},
		{"Bomb", "POST", upload + "&name=n", packed(t, strings.Repeat("x", 64<<10+1)), "gzip", nil, 413, "uploadTooLarge"},
		{"Other", "POST", upload + "&name=n", "content", "br", nil, 400, "must be gzip"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f.put(t, "photos", "x", "x", key)
			header := http.Header{"Content-Encoding": {tc.encoding}}
			for i := 0; i < len(tc.header); i += 2 {
				header.Set(tc.header[i], tc.header[i+1])
			}
			r := request{method: tc.method, path: tc.path, body: tc.body, header: header}
			if status, _, body := f.do(t, r, key); status != tc.want || !strings.Contains(string(body), tc.have) {
				t.Errorf("%d %s, want %d %s", status, body, tc.want, tc.have)
			}
		})
	}
	if status, _, body := f.do(t, request{method: "GET", path: "/photos/m"}, key); status != ok || string(body) != "content" {
		t.Errorf("the content is %d %s", status, body)
	}
	if status, _, _ := f.do(t, request{method: "GET", path: "/photos/n"}, key); status != 404 {
		t.Errorf("a rejected upload has left an object: %d", status)
	}
}
