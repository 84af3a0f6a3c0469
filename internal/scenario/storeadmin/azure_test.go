package storeadmin

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

func azureOf(t *testing.T, service http.HandlerFunc) *azureClient {
	t.Helper()
	server := httptest.NewServer(service)
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
	})
	a, err := newAzureClient(server.URL, "photos", fakedriver.Credentials{AccessKeyID: "key", SecretAccessKey: "secret"}, transport)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// pages answers to requests for a list with the page after a marker.
func pages(t *testing.T, byMarker map[string]string) http.HandlerFunc {
	t.Helper()
	return func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if r.Method != http.MethodGet || query.Get("comp") != "list" || query.Get("sig") == "" {
			t.Errorf("%s %s", r.Method, r.URL)
		}
		body, ok := byMarker[query.Get("marker")]
		if !ok {
			w.WriteHeader(http.StatusBadRequest)
			body = "<Error><Code>UnknownMarker</Code></Error>"
		}
		_, _ = w.Write([]byte(body))
	}
}

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
		"Empty": {pages: map[string]string{"": page("")}, want: map[string]int64{}, err: "<nil>"},
		"Pages": {
			pages: map[string]string{"": page("2+/", fmt.Sprintf(blob, ">a", 1)), "2+/": page("", fmt.Sprintf(blob, ">b/&amp;", 2))},
			want:  map[string]int64{"a": 1, "b/&": 2}, err: "<nil>",
		},
		"Names": {
			pages: map[string]string{"": page("", fmt.Sprintf(blob, ">a%20b", 1), fmt.Sprintf(blob, ` Encoded="true">a%01b`, 2))},
			want:  map[string]int64{"a%20b": 1, "a\x01b": 2}, err: "<nil>",
		},
		"NoName":   {pages: map[string]string{"": page("", fmt.Sprintf(blob, ` Encoded="true">%zz`, 1))}, err: `name of a blob "%zz"`},
		"NoPage":   {pages: map[string]string{"": "[]"}, err: "read the list of blobs"},
		"Rejected": {pages: map[string]string{"": page("other")}, err: "UnknownMarker"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := azureOf(t, pages(t, tc.pages)).List(t.Context())
			if text := fmt.Sprint(err); !strings.Contains(text, tc.err) || strings.Contains(text, "sig=") {
				t.Errorf("error %v, want %q, and no signature", err, tc.err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("objects (-want, +got):\n%s", diff)
			}
		})
	}
}

// TestAzureDelete deletes a blob that has snapshots, which Azure deletes only if it is asked to.
func TestAzureDelete(t *testing.T) {
	a := azureOf(t, func(w http.ResponseWriter, r *http.Request) {
		got := []string{r.Method, r.URL.Path[strings.LastIndex(r.URL.Path, "photos"):], r.Header.Get("X-Ms-Delete-Snapshots")}
		if diff := cmp.Diff([]string{http.MethodDelete, "photos/a/../b", "include"}, got); diff != "" {
			t.Errorf("request (-want, +got):\n%s", diff)
		}
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte("<Error><Code>BlobNotFound</Code><Message>None.\nRequestId:1</Message></Error>"))
	})
	if err := a.Delete(t.Context(), "a/../b"); !IsNoObject(err) || err.Error() != "api error BlobNotFound: None." {
		t.Errorf("Delete() = %v, want BlobNotFound without the ID of the request", err)
	}
}
