package protocol_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
)

// TestNames uses names of objects and buckets at Google's limits, in both APIs.
func TestNames(t *testing.T) {
	f := serve(t, gcs.Options{})
	account := f.account(t, "app", all("photos"))
	key, now := bearer(account), time.Now().UTC()
	for _, tc := range []struct {
		reason, name string // escaped
		ok           bool
	}{
		{"1,024 bytes.", strings.Repeat("n", 1024), true},
		{"1,025 bytes.", strings.Repeat("n", 1025), false},
		{"1,024 bytes in 512 letters.", strings.Repeat("%C3%BC", 512), true},
		{"A line break.", "a%0Ab", false},
		{"A carriage return.", "a%0Db", false},
		{"One dot.", ".", false},
		{"Two dots.", "..", false},
		{"Three dots.", "...", true},
		{"Not UTF-8.", "a%FFb", false},
		{"Reserved for certificates.", ".well-known/acme-challenge/x", false},
		{"Odd, but allowed.", "a%09b%23%5B%5D*%3F", true},
	} {
		want := map[bool]int{true: 200, false: 400}[tc.ok]
		json := request{method: "POST", path: upload + "&name=" + tc.name}
		if status, _, body := f.do(t, json, key); status != want {
			t.Errorf("JSON, %s: %d %s, want %d", tc.reason, status, body, want)
		}
		xml := request{method: "PUT", path: f.signedURL(account, "PUT", "/photos/"+tc.name, now, nil, nil)}
		if status, _, body := f.do(t, xml, ""); status != want {
			t.Errorf("XML, %s: %d %s, want %d", tc.reason, status, body, want)
		}
	}
	for name, want := range map[string]int{
		"a_b": 403, "a-b.c_d": 403, strings.Repeat("b", 63): 403, strings.Repeat("b", 64): 400, "ab": 400, "Abc": 400, "-abc": 400, "abc_": 400,
		"a..b": 400, "10.0.0.1": 400, "goog-x": 400, "my-google": 400,
		strings.Repeat("b", 63) + strings.Repeat("."+strings.Repeat("b", 52), 3): 403,
		strings.Repeat("b", 63) + strings.Repeat("."+strings.Repeat("b", 53), 3): 400,
	} {
		if status, _, body := f.do(t, request{method: "GET", path: "/storage/v1/b/" + name}, key); status != want {
			t.Errorf("bucket %s: %d %s, want %d", name, status, body, want)
		}
	}
}

// TestSizes sends metadata, headers and documents at Google's limits, in both APIs.
//
//nolint:lll // one case a line
func TestSizes(t *testing.T) {
	f := serve(t, gcs.Options{})
	account := f.account(t, "app", all("photos"))
	key, now := bearer(account), time.Now().UTC()
	put := func(headers map[string]string) request {
		path := f.signedURL(account, "PUT", "/photos/x", now, nil, headers)
		return request{method: "PUT", path: path, header: headerOf(headers)}
	}
	for _, tc := range []struct {
		name string
		request
		key  string
		want int
		code string
	}{
		{"Metadata", put(map[string]string{"x-goog-meta-a": strings.Repeat("v", 8<<10-1)}), "", 200, ""},
		{"MetadataTooLarge", put(map[string]string{"x-goog-meta-a": strings.Repeat("v", 8<<10)}), "", 400, "MetadataTooLarge"},
		{"MetadataTooMany", put(map[string]string{
			"x-goog-meta-a": strings.Repeat("v", 4<<10), "x-goog-meta-b": strings.Repeat("v", 4<<10),
		}), "", 400, "MetadataTooLarge"},
		{"Headers", put(map[string]string{"x-goog-meta-a": "v", "other": strings.Repeat("v", 15<<10)}), "", 200, ""},
		{"HeadersTooLarge", put(map[string]string{"other": strings.Repeat("v", 16<<10)}), "", 400, "RequestHeaderSectionTooLarge"},
		{"JSONHeaders", request{method: "GET", path: "/storage/v1/b/photos", header: http.Header{"Other": {strings.Repeat("v", 15<<10)}}}, key, 200, ""},
		{"JSONHeadersTooLarge", request{
			method: "GET", path: "/storage/v1/b/photos", header: http.Header{"Other": {strings.Repeat("v", 16<<10)}},
		}, key, 413, "16 KiB"},
		{"JSONURL", request{method: "GET", path: "/storage/v1/b/photos?unknown=" + strings.Repeat("v", 16<<10)}, key, 413, "16 KiB"},
		{"JSONDocument", request{method: "PATCH", path: objectX, body: strings.Repeat(" ", 2<<20)}, key, 413, "uploadTooLarge"},
		{"Components", request{
			method: "POST", path: objectX + "/compose", body: `{"sourceObjects":[` + strings.Repeat(`{"name":"x"},`, 31) + `{"name":"x"}]}`,
		}, key, 200, ""},
		{"ComponentsTooMany", request{
			method: "POST", path: objectX + "/compose", body: `{"sourceObjects":[` + strings.Repeat(`{"name":"x"},`, 32) + `{"name":"x"}]}`,
		}, key, 400, "1 to 32"},
		{"ComponentsNone", request{method: "POST", path: objectX + "/compose", body: `{"sourceObjects":[]}`}, key, 400, "1 to 32"},
		{"ComponentUnknown", request{
			method: "PUT", path: f.signedURL(account, "PUT", "/photos/x", now, map[string][]string{"compose": {""}}, nil),
			body: components("<Name>x</Name><Other>1</Other>"),
		}, "", 501, "Other"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if status, _, body := f.do(t, tc.request, tc.key); status != tc.want || !strings.Contains(string(body), tc.code) {
				t.Errorf("%d %s, want %d %s", status, body, tc.want, tc.code)
			}
		})
	}
}

// TestXMLCopySource copies objects whose names need escapes. A plus is a space.
//
//nolint:lll // one case a line
func TestXMLCopySource(t *testing.T) {
	f := serve(t, gcs.Options{})
	account := f.account(t, "app", all("photos"))
	key, now := bearer(account), time.Now().UTC()
	f.put(t, "photos", "a%20b.txt", "space", key)
	f.put(t, "photos", "a%2Bb.txt", "plus", key)
	for _, header := range []string{"x-goog-copy-source", "x-amz-copy-source"} {
		for source, want := range map[string]string{
			"photos/a+b.txt": "space", "photos/a%20b.txt": "space", "photos/a%2Bb.txt": "plus", "/photos/a+b.txt": "space", "photos%2Fa+b.txt": "space",
		} {
			headers := map[string]string{header: source}
			copied := request{method: "PUT", path: f.signedURL(account, "PUT", "/photos/copy", now, nil, headers), header: headerOf(headers)}
			if status, _, body := f.do(t, copied, ""); status != ok {
				t.Errorf("%s: %s: %d %s", header, source, status, body)
			}
			if _, _, body := f.do(t, request{method: "GET", path: "/photos/copy"}, key); string(body) != want {
				t.Errorf("%s: %s is the object %q, want %q", header, source, body, want)
			}
		}
	}
}
