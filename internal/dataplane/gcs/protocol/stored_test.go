package protocol_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/httpserver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
)

// noting serves, and sends the noted key of each request.
func noting(t *testing.T) (*fixture, <-chan string) {
	t.Helper()
	stored := make(chan string, 1)
	return serve(t, gcs.Options{Options: pipeline.Options{Middleware: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			key := ""
			next.ServeHTTP(w, r.WithContext(httpserver.WithStored(r.Context(), &key)))
			stored <- key
		})
	}}}), stored
}

// TestNoteStored expects an upload to note its object, even if only its body has the name.
func TestNoteStored(t *testing.T) {
	f, stored := noting(t)
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

// TestNoteStoredResumable expects the requests that end a resumable upload to note the object.
//
//nolint:lll // one case a line
func TestNoteStoredResumable(t *testing.T) {
	type step struct {
		content, span string
		status        int
		want          string
	}
	first := step{"01", "0-1/*", 308, ""}
	f, stored := noting(t)
	key := bearer(f.account(t, "app", all("photos")))
	for name, steps := range map[string][]step{
		"LastChunk":     {first, {"23", "2-3/4", 200, "x"}},
		"NoContent":     {first, {"", "*/4", 308, ""}, {"23", "2-3/*", 308, ""}, {"", "*/*", 308, ""}, {"", "*/4", 200, "x"}, {"", "*/4", 200, ""}},
		"Empty":         {{"", "*/0", 200, "x"}},
		"ChunkOnceMore": {first, {"01", "0-1/*", 308, ""}, {"0", "0-0/2", 200, "x"}},
		"TooMany":       {first, {"", "*/1", 400, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			path := f.session(t, key)
			<-stored
			for _, s := range steps {
				status, _, body := f.do(t, scaled(path, s.content, s.span), key)
				if noted := <-stored; status != s.status || noted != s.want {
					t.Errorf("%q: %d %s, and %q is stored; want %d and %q", s.span, status, body, noted, s.status, s.want)
				}
			}
		})
	}
}
