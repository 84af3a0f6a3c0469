package gcs_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/gcs"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/httpserver"
)

// TestNoteStored expects an upload to tell which object it stores, also if only its body has the name.
func TestNoteStored(t *testing.T) {
	stored := make(chan string, 1)
	f := serve(t, gcs.Options{Middleware: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			key := ""
			next.ServeHTTP(w, r.WithContext(httpserver.WithStored(r.Context(), &key)))
			stored <- key
		})
	}})
	key := bearer(f.account(t, "app", all("photos")))
	const uploads = "/upload/storage/v1/b/photos/o?uploadType="
	both := http.Header{"Content-Type": {"multipart/related; boundary=b"}}
	body := func(document string) string {
		return "--b\r\nContent-Type: application/json\r\n\r\n" + document + "\r\n--b\r\n\r\nx\r\n--b--"
	}
	for name, tc := range map[string]struct {
		request
		status int
		want   string
	}{
		"Query":   {request{method: "POST", path: uploads + "media&name=a%2Fb", body: "x"}, 200, "a/b"},
		"Body":    {request{method: "POST", path: uploads + "multipart", body: body(`{"name": "a/c"}`), header: both}, 200, "a/c"},
		"Both":    {request{method: "POST", path: uploads + "multipart&name=d", body: body(`{"name": "e"}`), header: both}, 200, "d"},
		"Neither": {request{method: "POST", path: uploads + "multipart", body: body(`{}`), header: both}, 400, ""},
		"Begun":   {request{method: "POST", path: uploads + "resumable", body: `{"name": "f"}`}, 200, ""},
		"Read":    {request{method: "GET", path: "/storage/v1/b/photos/o"}, 200, ""},
	} {
		t.Run(name, func(t *testing.T) {
			status, _, content := f.do(t, tc.request, key)
			if status != tc.status {
				t.Fatalf("status %d %s, want %d", status, content, tc.status)
			}
			if diff := cmp.Diff(tc.want, <-stored); diff != "" {
				t.Errorf("stored: -want, +got:\n%s", diff)
			}
		})
	}
}
