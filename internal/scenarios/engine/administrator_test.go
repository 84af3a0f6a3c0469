package engine

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// TestAzureList reads all pages, and names that XML cannot hold. No error has the signature.
func TestAzureList(t *testing.T) {
	const blob = "<Blob><Name%s</Name><Properties><Content-Length>%d</Content-Length></Properties></Blob>"
	page := func(next string, blobs ...string) string {
		return "<EnumerationResults><Blobs>" + strings.Join(blobs, "") + "</Blobs><NextMarker>" + next + "</NextMarker></EnumerationResults>"
	}
	tests := map[string]struct {
		pages map[string]string // by marker
		want  map[string]int64
		err   string
	}{
		"Empty": {pages: map[string]string{"": page("")}, want: map[string]int64{}},
		"Pages": {
			pages: map[string]string{"": page("2+/", fmt.Sprintf(blob, ">a", 1)), "2+/": page("", fmt.Sprintf(blob, ">b/&amp;", 2))},
			want:  map[string]int64{"a": 1, "b/&": 2},
		},
		"Names": {
			pages: map[string]string{"": page("", fmt.Sprintf(blob, ">a%20b", 1), fmt.Sprintf(blob, ` Encoded="true">a%01b`, 2))},
			want:  map[string]int64{"a%20b": 1, "a\x01b": 2},
		},
		"NoName":   {pages: map[string]string{"": page("", fmt.Sprintf(blob, ` Encoded="true">%zz`, 1))}, err: `name of a blob "%zz"`},
		"NoPage":   {pages: map[string]string{"": "[]"}, err: "read the list of blobs"},
		"Rejected": {pages: map[string]string{"": page("other")}, err: "UnknownMarker"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if query := r.URL.Query(); r.Method != http.MethodGet || query.Get("comp") != "list" || query.Get("sig") == "" {
					t.Errorf("%s %s", r.Method, r.URL)
				}
				body, ok := tc.pages[r.URL.Query().Get("marker")]
				if !ok {
					w.WriteHeader(http.StatusBadRequest)
					body = "<Error><Code>UnknownMarker</Code></Error>"
				}
				_, _ = w.Write([]byte(body))
			}))
			defer server.Close()
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			a, err := newAzureAdministrator(server.URL, "photos", fakedriver.Credentials{AccessKeyID: "key", SecretAccessKey: "secret"}, transport)
			if err != nil {
				t.Fatal(err)
			}
			got, err := a.list(t.Context())
			if tc.err == "" && err != nil || tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)) {
				t.Errorf("error %v, want %q", err, tc.err)
			}
			if err != nil && strings.Contains(err.Error(), "sig=") {
				t.Errorf("the error has the signature: %v", err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("objects (-want, +got):\n%s", diff)
			}
		})
	}
}

// TestAzureDelete deletes a blob that has snapshots, which Azure deletes only if it is asked to.
func TestAzureDelete(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := []string{r.Method, r.URL.Path[strings.LastIndex(r.URL.Path, "photos"):], r.Header.Get("X-Ms-Delete-Snapshots")}
		if diff := cmp.Diff([]string{http.MethodDelete, "photos/a/../b", "include"}, got); diff != "" {
			t.Errorf("request (-want, +got):\n%s", diff)
		}
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte("<Error><Code>BlobNotFound</Code><Message>None.\nRequestId:1</Message></Error>"))
	}))
	defer service.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	a, err := newAzureAdministrator(service.URL, "photos", fakedriver.Credentials{AccessKeyID: "key", SecretAccessKey: "secret"}, transport)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.delete(t.Context(), "a/../b"); !isNoObject(err) || err.Error() != "api error BlobNotFound: None." {
		t.Errorf("delete() = %v, want BlobNotFound without the ID of the request", err)
	}
}
