package protocol_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
	"github.com/cosi-emu/cosi-emu/internal/store"
)

// sessionXML begins an upload of x in the XML API, and returns its path.
func (f *fixture) sessionXML(t *testing.T, headers map[string]string) string {
	t.Helper()
	key := f.account(t, "app", all("photos"))
	headers["x-goog-resumable"] = "start"
	begin := f.signedURL(key, "POST", "/photos/x", time.Now().UTC(), nil, headers)
	status, header, body := f.do(t, request{method: "POST", path: begin, header: headerOf(headers)}, "")
	u, err := url.Parse(header.Get("Location"))
	if status != http.StatusCreated || err != nil {
		t.Fatalf("begin: %d %s %v", status, body, err)
	}
	return u.RequestURI()
}

// TestEndedUploads repeats requests of uploads that have ended, whose responses a client has lost.
func TestEndedUploads(t *testing.T) {
	dir := t.TempDir()
	f := serveIn(t, gcs.Options{}, store.Options{Dir: dir})
	account := f.account(t, "app", all("photos"))
	key := bearer(account)
	old := f.put(t, "photos", "x", "old", key)
	last := func(path string) request { return chunk(path, "new", "0-2/3") }
	cancel := func(path string) request { return request{method: http.MethodDelete, path: path} }
	for _, tc := range []struct {
		name, reason string
		path         string
		end          func(path string) request
		want         int // of end
		last, status int // of repeated requests
		cancel       int
	}{
		{"Stored", "The object is stored.", f.session(t, key), last, 200, 200, 200, 404},
		{"StoredXML", "The object is stored.", f.sessionXML(t, map[string]string{}), last, 200, 200, 200, 404},
		{"Cancelled", "499 has no body.", f.session(t, key), cancel, 499, 499, 499, 499},
		{"CancelledXML", "In the XML API, that is a success.", f.sessionXML(t, map[string]string{}), cancel, 204, 499, 499, 204},
		{"Rejected", "Its condition is not met.", f.sessionIf(t, key, old), last, 412, 412, 412, 499},
		{
			"RejectedXML", "Its condition is not met.", f.sessionXML(t, map[string]string{"x-goog-if-generation-match": old}),
			last, 412, 412, 412, 204,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			authorization := key
			if strings.HasSuffix(tc.name, "XML") {
				authorization = ""
			}
			status, header, first := f.do(t, tc.end(tc.path), authorization)
			if status != tc.want {
				t.Fatalf("%s: %d %s, want %d", tc.reason, status, first, tc.want)
			}
			f.put(t, "photos", "x", "other", key) // the answer is about the upload, not about this object
			for name, again := range map[string]struct {
				request
				want int
			}{
				"Last": {last(tc.path), tc.last}, "Status": {chunk(tc.path, "", "*/3"), tc.status}, "Progress": {chunk(tc.path, "", "*/*"), tc.status},
				"Cancel": {cancel(tc.path), tc.cancel},
			} {
				got, answer, body := f.do(t, again.request, authorization)
				if got != again.want {
					t.Errorf("%s, %s: %d %s, want %d", tc.reason, name, got, body, again.want)
				}
				if got == ok && (!bytes.Equal(body, first) || answer.Get("X-Goog-Generation") != header.Get("X-Goog-Generation")) {
					t.Errorf("%s, %s: %s %v, want %s %v", tc.reason, name, body, answer, first, header)
				}
			}
		})
	}
}

// sessionIf begins an upload of x that replaces a generation.
func (f *fixture) sessionIf(t *testing.T, key, generation string) string {
	t.Helper()
	begin := request{method: "POST", path: "/upload/storage/v1/b/photos/o?uploadType=resumable&name=x&ifGenerationMatch=" + generation}
	_, header, _ := f.do(t, begin, key)
	return strings.TrimPrefix(header.Get("Location"), f.address)
}

// TestEndedSnapshot repeats the last request of an upload at a store that a snapshot has become.
func TestEndedSnapshot(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "image")
	f := serve(t, gcs.Options{})
	key := bearer(f.account(t, "app", all("photos")))
	path := f.session(t, key)
	_, _, body := f.do(t, chunk(path, "new", "0-2/3"), key)
	image, thaw, err := f.store.Freeze(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	thaw()
	err = image.Write(dir)
	image.Release()
	if err != nil {
		t.Fatal(err)
	}
	f = serveIn(t, gcs.Options{}, store.Options{Dir: dir})
	status, _, again := f.do(t, chunk(path, "", "*/3"), key)
	if status != ok || generationOf(t, again) != generationOf(t, body) {
		t.Errorf("%d %s, want %s", status, again, body)
	}
}

// TestXMLMultipartAgain repeats the last request of an upload in parts of the XML API: a completion
// returns the object again, and an aborted upload is not found.
func TestXMLMultipartAgain(t *testing.T) {
	f := serve(t, gcs.Options{})
	c := f.amazon(t, f.account(t, "app", all("photos")))
	bucket, key := aws.String("photos"), aws.String("x")
	begin := func() *string {
		u, err := c.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{Bucket: bucket, Key: key})
		if err != nil {
			t.Fatal(err)
		}
		return u.UploadId
	}
	id := begin()
	part, err := c.UploadPart(t.Context(), &s3.UploadPartInput{
		Bucket: bucket, Key: key, UploadId: id, PartNumber: aws.Int32(1), Body: strings.NewReader("content"),
	})
	if err != nil {
		t.Fatal(err)
	}
	parts := &types.CompletedMultipartUpload{Parts: []types.CompletedPart{
		{PartNumber: aws.Int32(1), ETag: part.ETag, ChecksumCRC32: part.ChecksumCRC32},
	}}
	for range 2 {
		done, err := c.CompleteMultipartUpload(t.Context(), &s3.CompleteMultipartUploadInput{
			Bucket: bucket, Key: key, UploadId: id, MultipartUpload: parts,
		})
		if err != nil || aws.ToString(done.Key) != "x" {
			t.Errorf("CompleteMultipartUpload() = %+v, %v", done, err)
		}
	}
	id = begin()
	for i, want := range []string{"", "NoSuchUpload"} {
		_, err := c.AbortMultipartUpload(t.Context(), &s3.AbortMultipartUploadInput{Bucket: bucket, Key: key, UploadId: id})
		if failed, _ := errors.AsType[smithy.APIError](err); (failed == nil) != (want == "") || failed != nil && failed.ErrorCode() != want {
			t.Errorf("AbortMultipartUpload() number %d: %v, want %q", i+1, err, want)
		}
	}
}

// TestEndedRestart repeats the last request of an upload after a restart, also by a key without
// access, and after the session has expired.
func TestEndedRestart(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	clock := func() time.Time { return now }
	var path, generation string
	t.Run("Store", func(t *testing.T) {
		f := serveIn(t, gcs.Options{}, store.Options{Dir: dir, Now: clock})
		key := bearer(f.account(t, "app", all("photos")))
		path = f.session(t, key)
		_, _, body := f.do(t, chunk(path, "new", "0-2/3"), key)
		generation = generationOf(t, body)
	})
	options := gcs.Options{UploadTimeout: time.Hour}
	options.Now = clock
	f := serveIn(t, options, store.Options{Dir: dir, Now: clock})
	key, other := bearer(f.account(t, "app", all("photos"))), bearer(f.account(t, "other", all("photos")))
	if status, _, body := f.do(t, chunk(path, "new", "0-2/3"), key); status != ok || generationOf(t, body) != generation {
		t.Errorf("after a restart: %d %s, want the generation %s", status, body, generation)
	}
	if status, _, body := f.do(t, chunk(path, "", "*/3"), other); status != http.StatusNotFound {
		t.Errorf("with another key: %d %s", status, body)
	}
	now = now.Add(2 * time.Hour)
	if status, _, body := f.do(t, chunk(path, "", "*/3"), key); status != http.StatusNotFound {
		t.Errorf("after two hours: %d %s", status, body)
	}
}

// decode reads a document of the JSON API.
func decode(t *testing.T, body []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(body, into); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
}

func generationOf(t *testing.T, body []byte) string {
	t.Helper()
	var made struct {
		Generation string `json:"generation"`
	}
	if err := json.Unmarshal(body, &made); err != nil || made.Generation == "" {
		t.Fatalf("no object: %s %v", body, err)
	}
	return made.Generation
}

// TestChunks sends chunks of all sizes and forms.
func TestChunks(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := bearer(f.account(t, "app", all("photos")))
	part := strings.Repeat("x", quantum)
	for _, tc := range []struct {
		name, reason, content, span string
		want                        int
		have                        string
	}{
		{"Multiple", "A multiple of 256 KiB.", part + part, "0-524287/*", 308, "bytes=0-524287"},
		{"Part", "Less than 256 KiB, and more follows.", "x", "0-0/*", 400, ""},
		{"PartOfTotal", "The same, with the size of the object.", "x", "0-0/2", 400, ""},
		{"MoreThanOne", "Not a multiple.", part + "x", "0-262144/*", 400, ""},
		{"Last", "The last has any size.", "x", "0-0/1", 200, ""},
		{"LastEmpty", "So has an empty object.", "", "*/0", 200, ""},
		{"Streamed", "The client for JavaScript does not know the size.", "xyz", "0-*/*", 200, ""},
		{"StreamedTotal", "It knows the size.", "xyz", "0-*/3", 200, ""},
		{"StreamedPart", "Some bytes were not sent.", "xy", "0-*/3", 308, "bytes=0-1"},
		{"StreamedTooMuch", "More than it declares.", "xyz", "0-*/2", 400, ""},
		{"StreamedLater", "The first bytes are missing.", "xyz", "4-*/*", 400, ""},
		{"StreamedFromNowhere", "Not a number.", "xyz", "x-*/*", 400, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, header, body := f.do(t, chunk(f.session(t, key), tc.content, tc.span), key)
			if status != tc.want || header.Get("Range") != tc.have {
				t.Errorf("%s: %d, Range %q, %s; want %d, %q", tc.reason, status, header.Get("Range"), body, tc.want, tc.have)
			}
		})
	}
}

// TestDeclaredLength compares the size that the first request declares with the last request's.
func TestDeclaredLength(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := bearer(f.account(t, "app", all("photos")))
	for _, tc := range []struct {
		declared string
		begin    int
		want     int
	}{{"3", 200, 200}, {"4", 200, 400}, {"0", 200, 200}, {"x", 400, 0}, {"-1", 400, 0}, {"9999999999999", 413, 0}} {
		begin := request{
			method: "POST", path: "/upload/storage/v1/b/photos/o?uploadType=resumable&name=x",
			header: http.Header{"X-Upload-Content-Length": {tc.declared}},
		}
		status, header, body := f.do(t, begin, key)
		if status != tc.begin {
			t.Errorf("%s: %d %s, want %d", tc.declared, status, body, tc.begin)
		}
		if status != ok {
			continue
		}
		path := strings.TrimPrefix(header.Get("Location"), f.address)
		if status, _, body := f.do(t, chunk(path, "new", "0-2/3"), key); status != tc.want {
			t.Errorf("%s: the last chunk: %d %s, want %d", tc.declared, status, body, tc.want)
		}
	}
}
