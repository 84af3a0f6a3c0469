package protocol_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
)

// batch sends calls, and returns the status and the Content-ID of each response.
func (f *fixture) batch(t *testing.T, key string, calls ...string) (status int, results []string) {
	t.Helper()
	var body strings.Builder
	parts := multipart.NewWriter(&body)
	for i, c := range calls {
		part, err := parts.CreatePart(textproto.MIMEHeader{"Content-Type": {"application/http"}, "Content-Id": {fmt.Sprintf("<%d>", i)}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(part, c); err != nil {
			t.Fatal(err)
		}
	}
	if err := parts.Close(); err != nil {
		t.Fatal(err)
	}
	header := http.Header{"Content-Type": {"multipart/mixed; boundary=" + parts.Boundary()}}
	status, answer, content := f.do(t, request{method: "POST", path: "/batch/storage/v1", body: body.String(), header: header}, key)
	if status != ok {
		return status, nil
	}
	_, parameters, err := mime.ParseMediaType(answer.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	for responses := multipart.NewReader(strings.NewReader(string(content)), parameters["boundary"]); ; {
		part, err := responses.NextPart()
		if errors.Is(err, io.EOF) {
			return status, results
		}
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(bufio.NewReader(part), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(io.Discard, response.Body)
		if err := errors.Join(err, response.Body.Close()); err != nil {
			t.Errorf("the response of a call is incomplete: %v", err)
		}
		results = append(results, fmt.Sprint(part.Header.Get("Content-Id"), " ", response.StatusCode))
	}
}

// TestBatch sends calls of all kinds together. Each has its own result.
func TestBatch(t *testing.T) {
	f := serve(t, gcs.Options{})
	f.bucket(t, "archive")
	key, other := bearer(f.account(t, "app", all("photos"))), bearer(f.account(t, "other", all("archive")))
	f.put(t, "photos", "a", "a", key)
	f.put(t, "photos", "b", "b", key)
	f.put(t, "archive", "x", "x", other)
	patch := `{"metadata":{"a":"1"}}`
	status, results := f.batch(t, key,
		"DELETE /storage/v1/b/photos/o/a HTTP/1.1\r\n\r\n",
		"DELETE /storage/v1/b/photos/o/a HTTP/1.1\r\n\r\n",
		"DELETE /storage/v1/b/archive/o/x HTTP/1.1\r\n\r\n",
		"DELETE /storage/v1/b/archive/o/x HTTP/1.1\r\nAuthorization: "+other+"\r\n\r\n",
		"PATCH /storage/v1/b/photos/o/b HTTP/1.1\r\nContent-Type: application/json\r\n\r\n"+patch,
		"GET "+f.address+"/storage/v1/b/photos/o/b\r\nHost: localhost\r\n\r\n",
		"GET /storage/v1/b/photos/o/b?alt=media HTTP/1.1\r\n\r\n",
		"GET /photos/b HTTP/1.1\r\n\r\n",
		"POST /upload/storage/v1/b/photos/o?uploadType=media&name=new HTTP/1.1\r\n\r\nnew",
		"POST /batch/storage/v1 HTTP/1.1\r\n\r\n",
		"DELETE /storage/v1/b/photos HTTP/1.1\r\n\r\n",
		"nonsense",
	)
	want := []string{
		"<response-0> 204", "<response-1> 404", "<response-2> 403", "<response-3> 204", "<response-4> 200", "<response-5> 200",
		"<response-6> 400", "<response-7> 400", "<response-8> 400", "<response-9> 400", "<response-10> 403", "<response-11> 400",
	}
	if diff := cmp.Diff(want, results); status != ok || diff != "" {
		t.Errorf("batch: %d; results: -want, +got:\n%s", status, diff)
	}
	if diff := cmp.Diff([]string{"b 1 true"}, f.listed(t, "photos", "", key)); diff != "" {
		t.Errorf("objects: -want, +got:\n%s", diff)
	}
}

// TestBatchLimits sends batches that are rejected as a whole.
func TestBatchLimits(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := bearer(f.account(t, "app", all("photos")))
	one := "GET /storage/v1/b/photos HTTP/1.1\r\n\r\n"
	calls := func(n int, call string) (all []string) {
		for range n {
			all = append(all, call)
		}
		return all
	}
	for _, tc := range []struct {
		name, key string
		calls     []string
		want      int
	}{
		{"None", key, nil, 400},
		{"Hundred", key, calls(100, one), 200},
		{"TooMany", key, calls(101, one), 400},
		{"TooLarge", key, calls(2, "PATCH /storage/v1/b/photos/o/x HTTP/1.1\r\n\r\n"+strings.Repeat(" ", 6<<20)), 413},
		{"Anonymous", "", calls(1, one), 401},
		{"Unknown", "Bearer a:b", calls(1, one+"Authorization: "+key+"\r\n"), 401},
	} {
		if status, results := f.batch(t, tc.key, tc.calls...); status != tc.want || status == ok && len(results) != len(tc.calls) {
			t.Errorf("%s: %d with %d results, want %d", tc.name, status, len(results), tc.want)
		}
	}
}

// TestBatchMiddleware expects that middleware sees each call like a separate request.
func TestBatchMiddleware(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	options := gcs.Options{Options: pipeline.Options{Middleware: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			seen = append(seen, r.Method+" "+r.URL.Path)
			mu.Unlock()
			next.ServeHTTP(w, r)
		})
	}}}
	f := serve(t, options)
	key := bearer(f.account(t, "app", all("photos")))
	f.batch(t, key, "GET /storage/v1/b/photos HTTP/1.1\r\n\r\n", "DELETE /storage/v1/b/photos/o/x HTTP/1.1\r\n\r\n")
	mu.Lock()
	defer mu.Unlock()
	if diff := cmp.Diff([]string{"POST /batch/storage/v1", "GET /storage/v1/b/photos", "DELETE /storage/v1/b/photos/o/x"}, seen); diff != "" {
		t.Errorf("requests: -want, +got:\n%s", diff)
	}
}
