package protocol_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
)

// TestDescribe names requests of all APIs for the journal.
func TestDescribe(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := f.account(t, "app", all("photos"))
	now := time.Now().UTC()
	signed := func(method, path string, headers map[string]string) *http.Request {
		r, err := http.NewRequestWithContext(t.Context(), method, f.signedURL(key, method, path, now, nil, headers), http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header = headerOf(headers)
		return r
	}
	resumable := func(method, span string) *http.Request {
		address := "/upload/storage/v1/b/photos/o?uploadType=resumable&upload_id=u&name=x"
		r, err := http.NewRequestWithContext(t.Context(), method, address, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Range", span)
		return r
	}
	composed := signed("PUT", "/photos/x", nil)
	composed.URL.RawQuery += "&compose"
	for _, tc := range []struct {
		r    *http.Request
		want string
	}{
		{signed("GET", "/photos/a/b", nil), "objects.get media photos/a/b"},
		{signed("PUT", "/photos/x", nil), "objects.insert photos/x"},
		{signed("PUT", "/photos/x", map[string]string{"x-goog-copy-source": "photos/y"}), "objects.copy photos/x"},
		{signed("POST", "/photos/x", map[string]string{"x-goog-resumable": "start"}), "objects.insert resumable photos/x"},
		{signed("DELETE", "/photos/x", nil), "objects.delete photos/x"},
		{signed("GET", "/photos", nil), "objects.list photos/"},
		{resumable("POST", ""), "objects.insert resumable photos/x"},
		{resumable("PUT", "bytes 0-4/*"), "objects.insert resumable photos/x"},
		{resumable("PUT", "bytes 0-4/10"), "objects.insert resumable photos/x"},
		{resumable("PUT", "bytes */10"), "objects.insert resumable photos/x"},
		{resumable("PUT", "bytes */*"), "objects.insert resumable photos/x"},
		{resumable("PUT", "bytes -/0"), "objects.insert resumable photos/x"},
		{resumable("PUT", "bytes 5-9/10"), "objects.insert photos/x"},
		{resumable("PUT", ""), "objects.insert photos/x"},
		{resumable("DELETE", ""), "objects.insert cancel photos/x"},
		{composed, "objects.compose photos/x"},
	} {
		got := f.service.Describe(tc.r)
		if text := got.Operation + " " + got.Bucket + "/" + got.Key; text != tc.want {
			t.Errorf("%s %s %q: %q, want %q", tc.r.Method, tc.r.URL.Path, tc.r.Header.Get("Content-Range"), text, tc.want)
		}
	}
}
