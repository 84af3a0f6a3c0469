package protocol_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
)

// request is a request without Google's client, which test/gcs uses.
type request struct {
	method, path, body string
	header             http.Header
}

// do sends a request with an Authorization header, unless that is empty.
func (f *fixture) do(t *testing.T, r request, authorization string) (status int, header http.Header, body []byte) {
	t.Helper()
	out, err := http.NewRequestWithContext(t.Context(), r.method, f.address+r.path, strings.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(out.Header, r.header)
	if authorization != "" {
		out.Header.Set("Authorization", authorization)
	}
	transport := &http.Transport{DisableKeepAlives: true, DisableCompression: true}
	in, err := transport.RoundTrip(out)
	if err != nil {
		t.Fatalf("%s %s: %v", r.method, r.path, err)
	}
	defer func() { _ = in.Body.Close() }()
	if body, err = io.ReadAll(in.Body); err != nil {
		t.Fatalf("%s %s: %v", r.method, r.path, err)
	}
	return in.StatusCode, in.Header, body
}

func bearer(c fakedriver.Credentials) string {
	return "Bearer " + c.AccessKeyID + ":" + c.SecretAccessKey
}

// reasonOf returns the reason in an error of the JSON API, and checks that the error is complete.
func reasonOf(t *testing.T, status int, body []byte) string {
	t.Helper()
	var document struct {
		Error struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
			Status  string `json:"status"`
			Errors  []struct {
				Reason string `json:"reason"`
				Domain string `json:"domain"`
			} `json:"errors"`
		} `json:"error"`
	}
	if err := json.Unmarshal(body, &document); err != nil {
		t.Fatalf("the error %q is not JSON: %v", body, err)
	}
	e := document.Error
	if e.Code != status || e.Message == "" || e.Status == "" || len(e.Errors) != 1 || e.Errors[0].Domain != "global" {
		t.Errorf("the error of status %d is incomplete: %s", status, body)
		return ""
	}
	return e.Errors[0].Reason
}

// TestETags: metadata and content are read under the same conditions, and metadata has an ETag of
// its own for each change.
func TestETags(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := bearer(f.account(t, "app", all("photos")))
	etag := func(r request) string {
		t.Helper()
		status, _, body := f.do(t, r, key)
		var made struct {
			ETag string `json:"etag"`
		}
		if err := json.Unmarshal(body, &made); err != nil || status != ok || made.ETag == "" {
			t.Fatalf("%s %s: %d %s %v", r.method, r.path, status, body, err)
		}
		return made.ETag
	}
	const path = "/storage/v1/b/photos/o/x"
	old := etag(request{method: "POST", path: upload + "&name=x", body: "content"})
	now := etag(request{method: "PATCH", path: path, body: `{"metadata":{"a":"1"}}`})
	for name, tc := range map[string]struct {
		header, etag string
		want         int
	}{
		"Same":        {"If-None-Match", `"` + now + `"`, http.StatusNotModified},
		"NoQuotes":    {"If-None-Match", now, http.StatusNotModified},
		"OneOfTwo":    {"If-None-Match", `"x", "` + now + `"`, http.StatusNotModified},
		"Old":         {"If-None-Match", `"` + old + `"`, ok},
		"Match":       {"If-Match", `"` + now + `"`, ok},
		"MatchAny":    {"If-Match", "*", ok},
		"MatchOld":    {"If-Match", `"` + old + `"`, http.StatusPreconditionFailed},
		"NoneMatches": {"If-None-Match", "*", http.StatusNotModified},
	} {
		got, _, body := f.do(t, request{method: "GET", path: path, header: http.Header{tc.header: {tc.etag}}}, key)
		if got != tc.want {
			t.Errorf("%s: %d %s, want %d", name, got, body, tc.want)
		}
		if name == "NoQuotes" { // net/http reads quoted ETags only
			continue
		}
		got, _, body = f.do(t, request{method: "GET", path: path + "?alt=media", header: http.Header{tc.header: {tc.etag}}}, key)
		if got != tc.want {
			t.Errorf("%s, content: %d %s, want %d", name, got, body, tc.want)
		}
	}
}
