package sigv4_test

import (
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/sigv4"
)

func TestCanonical(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		reason string
		path   string
		query  url.Values
		header http.Header
		names  string
		scheme sigv4.Scheme
		as     string   // the client's escaped path
		want   []string // path, query and headers
	}{
		"Plain": {
			reason: "The host is in no header.",
			path:   "/photos/k", names: "host", want: []string{"/photos/k", "", "host:store.test", ""},
		},
		"Escaped": {
			reason: "Everything is escaped except unreserved characters, and slashes in paths only.",
			path:   "/a b+c%/ü-_.~", query: url.Values{"a/b": {"c d+é~"}}, names: "host",
			want: []string{"/a%20b%2Bc%25/%C3%BC-_.~", "a%2Fb=c%20d%2B%C3%A9~", "host:store.test", ""},
		},
		"SortedAfterEscaping": {
			reason: "A slash sorts after a hyphen, and its escape before it.",
			query:  url.Values{"a/": {""}, "a-": {""}, "a": {"2", "1"}, "B": {""}}, names: "host",
			want: []string{"", "B=&a=2&a=1&a%2F=&a-=", "host:store.test", ""},
		},
		"NoSignature": {
			reason: "A signature cannot cover itself.",
			query:  url.Values{"X-Amz-Signature": {"a"}, "X-Amz-Date": {"b"}}, names: "host",
			want: []string{"", "X-Amz-Date=b", "host:store.test", ""},
		},
		"NoSignatureOfGoogle": {
			reason: "Each scheme leaves out its own signature only.",
			query:  url.Values{"X-Goog-Signature": {"a"}, "X-Amz-Signature": {"b"}}, names: "host", scheme: sigv4.Google,
			want: []string{"", "X-Amz-Signature=b", "host:store.test", ""},
		},
		"EscapedByClient": {
			reason: "A client may escape less.",
			path:   "/a@b", as: "/a@b", names: "host", want: []string{"/a@b", "", "host:store.test", ""},
		},
		"Spaces": {
			reason: "Spaces around a value are ignored, and several count as one.",
			header: http.Header{"X-Amz-Meta-A": {"  a   b c  ", " d"}}, names: "host;x-amz-meta-a",
			want: []string{"", "", "host:store.test", "x-amz-meta-a:a b c,d", ""},
		},
		"RemovedByServer": {
			reason: "Net/http takes these out of the header.",
			names:  "content-length;expect;host;transfer-encoding",
			want:   []string{"", "", "content-length:3", "expect:100-continue", "host:store.test", "transfer-encoding:chunked", ""},
		},
		"LongName": {
			reason: "Names of all lengths are found.",
			header: http.Header{"X-Amz-Meta-" + strings.Repeat("A-", 40) + "B": {"v"}}, names: "x-amz-meta-" + strings.Repeat("a-", 40) + "b",
			want: []string{"", "", "x-amz-meta-" + strings.Repeat("a-", 40) + "b:v", ""},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPut, "http://store.test/", strings.NewReader("abc"))
			r.URL.Path, r.TransferEncoding = tc.path, []string{"chunked"}
			maps.Copy(r.Header, tc.header)
			want := strings.Join(append(append([]string{http.MethodPut}, tc.want...), tc.names, "hash"), "\n")
			got := sigv4.Request{R: r, Query: tc.query, SignedHeaders: tc.names, Payload: "hash", Path: tc.as}.Canonical(tc.scheme)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s\ncanonical request: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestDerive uses an example of the S3 API reference: the signing key of the policy in "Examples:
// Browser-Based Upload using HTTP POST".
func TestDerive(t *testing.T) {
	t.Parallel()
	key := sigv4.Derive("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", sigv4.Scope{Day: "20130524", Region: "us-east-1"})
	if got, want := hex.EncodeToString(key[:]), "dbb893acc010964918f1fd433add87c70e8b0db6be30c1fbeafefa5ec6ba8378"; got != want {
		t.Errorf("Derive() = %s, want %s", got, want)
	}
	if text := fmt.Sprintf("%v %+v %#v %s", key, key, key, key); strings.Contains(text, "219") || strings.Contains(text, "0xdb") {
		t.Errorf("a key is printed as %s", text)
	}
}

// TestSchemes signs the same request in both schemes: key, text and signature differ.
func TestSchemes(t *testing.T) {
	t.Parallel()
	var keys sigv4.Keys
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://store.test/photos/k", http.NoBody)
	// Python's hmac has computed the signatures, by the documentation of both.
	for scheme, want := range map[sigv4.Scheme]string{
		sigv4.AWS:    "20260102/auto/s3/aws4_request f4ea287fede7b036394273ab43873754f9d3c1a21ea73dbefed5556de010124c",
		sigv4.Google: "20260102/auto/storage/goog4_request fa8be173fb190e2fa898c8c07a8aba134bd9d92fb61e66662bf5205c9b50cbba",
	} {
		scope := sigv4.Scope{Day: "20260102", Region: "auto", Scheme: scheme}
		key := keys.Get("secret", scope)
		keys.Keep(scope, key)
		signature := key.SignRequest(sigv4.Request{R: r, SignedHeaders: "host", Payload: "UNSIGNED-PAYLOAD"}, at, scope)
		if got := scope.String() + " " + string(signature[:]); got != want {
			t.Errorf("scheme %d: %s, want %s", scheme, got, want)
		}
	}
}

// TestKeys requests keys of more scopes than are cached, concurrently.
func TestKeys(t *testing.T) {
	t.Parallel()
	var keys sigv4.Keys
	var all sync.WaitGroup
	for client := range 4 {
		all.Go(func() {
			for i := range 50 {
				scope := sigv4.Scope{Day: "20130524", Region: fmt.Sprintf("region-%d", (i+client)%(2*sigv4.MaxKeys))}
				key := keys.Get("secret", scope)
				if key != sigv4.Derive("secret", scope) {
					t.Errorf("Get(%s) returned another key than is derived", scope)
				}
				keys.Keep(scope, key)
			}
		})
	}
	all.Wait()
	if got := keys.Kept(); got != sigv4.MaxKeys {
		t.Errorf("%d keys are kept, want %d", got, sigv4.MaxKeys)
	}
	if key := keys.Get("secret", sigv4.Scope{}); key != sigv4.Derive("secret", sigv4.Scope{}) {
		t.Error("Get() of the empty scope returned another key than is derived")
	}
}
