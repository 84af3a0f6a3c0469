package protocol_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
)

// TestXMLRejections sends unsupported features of the XML API, and features that Google does not
// have. None is ignored.
//
//nolint:lll // one case a line
func TestXMLRejections(t *testing.T) {
	f := serve(t, gcs.Options{Options: pipeline.Options{MaxBodyBytes: 1 << 10}})
	key := f.account(t, "app", all("photos"))
	f.put(t, "photos", "x", "content", bearer(key))
	now := time.Now().UTC()
	for _, tc := range []struct {
		name, method, path string
		headers            map[string]string
		body               string
		want               int
		code               string
	}{
		{"ACL", "PUT", "/photos/y", map[string]string{"x-goog-acl": "public-read"}, "", 400, "AccessControlListNotSupported"},
		{"Private", "PUT", "/photos/y", map[string]string{"x-goog-acl": "project-private"}, "", 200, ""},
		{"Encryption", "PUT", "/photos/y", map[string]string{"x-goog-encryption-key": "k"}, "", 501, "NotImplemented"},
		{"Lock", "PUT", "/photos/y", map[string]string{"x-goog-object-lock-mode": "GOVERNANCE"}, "", 501, "NotImplemented"},
		{"Unknown", "PUT", "/photos/y", map[string]string{"x-goog-unknown": "k"}, "", 501, "NotImplemented"},
		{"Tagging", "PUT", "/photos/y", map[string]string{"x-amz-tagging": "a=b"}, "", 501, "NotImplemented"},
		{"Both", "PUT", "/photos/y", map[string]string{"x-goog-meta-a": "1", "x-amz-meta-a": "2"}, "", 400, "InvalidArgument"},
		{"Class", "PUT", "/photos/y", map[string]string{"x-goog-storage-class": "STANDARD_IA"}, "", 400, "InvalidStorageClass"},
		{"CustomTime", "PUT", "/photos/y", map[string]string{"x-goog-custom-time": "now"}, "", 400, "InvalidArgument"},
		{"Hash", "PUT", "/photos/y", map[string]string{"x-goog-hash": "crc32c=AAAAAA=="}, "x", 400, "BadDigest"},
		{"MD5", "PUT", "/photos/y", map[string]string{"x-goog-hash": "md5=mgNkuembtIDdJeHwKEyFVQ=="}, "x", 400, "BadDigest"},
		{"TooLarge", "PUT", "/photos/y", nil, strings.Repeat("x", 1<<10+1), 400, "EntityTooLarge"},
		{"LengthRange", "PUT", "/photos/y", map[string]string{"x-goog-content-length-range": "1,10"}, strings.Repeat("x", 11), 400, "EntityTooLarge"},
		{"LengthRangeLow", "PUT", "/photos/y", map[string]string{"x-goog-content-length-range": "2,10"}, "x", 400, "EntityTooSmall"},
		{"LengthRangeOK", "PUT", "/photos/y", map[string]string{"x-goog-content-length-range": "1,10"}, "x", 200, ""},
		{"Condition", "PUT", "/photos/x", map[string]string{"x-goog-if-generation-match": "0"}, "x", 412, "PreconditionFailed"},
		{"ConditionText", "PUT", "/photos/x", map[string]string{"x-goog-if-generation-match": "x"}, "x", 400, "InvalidArgument"},
		{"Metageneration", "DELETE", "/photos/x", map[string]string{"x-goog-if-metageneration-match": "2"}, "", 412, "PreconditionFailed"},
		{"Compose", "PUT", "/photos/y?compose=", nil, "", 400, "MalformedXML"},
		{"ComposeHash", "PUT", "/photos/y?compose=", map[string]string{"x-goog-hash": "crc32c=AAAAAA=="}, "", 501, "NotImplemented"},
		{"ComposeLength", "PUT", "/photos/y?compose=", map[string]string{"x-goog-content-length-range": "1,10"}, "", 501, "NotImplemented"},
		{"ComposeCopy", "PUT", "/photos/y?compose=", map[string]string{"x-goog-copy-source": "photos/x"}, "", 501, "NotImplemented"},
		{"ComposeIfMatch", "PUT", "/photos/y?compose=", map[string]string{"if-match": "*"}, "", 501, "NotImplemented"},
		{"ComposeVersion", "PUT", "/photos/y?compose=&generation=1", nil, "", 501, "NotImplemented"},
		{"ComposePost", "POST", "/photos/y?compose=", nil, "", 501, "NotImplemented"},
		{"ComposeBucket", "PUT", "/photos?compose=", nil, "", 501, "NotImplemented"},
		{"GetACL", "GET", "/photos/x?acl=", nil, "", 403, "AccessDenied"},
		{"CORS", "GET", "/photos?cors=", nil, "", 501, "NotImplemented"},
		{"Tags", "GET", "/photos/x?tagging=", nil, "", 501, "NotImplemented"},
		{"PartCopy", "PUT", "/photos/y?partNumber=1&uploadId=x", map[string]string{"x-goog-copy-source": "photos/x"}, "", 501, "NotImplemented"},
		{"ListFormat", "GET", "/photos?versions=", map[string]string{"x-goog-interop-list-objects-format": "disabled"}, "", 501, "NotImplemented"},
		{"Generation", "GET", "/photos/x?generation=x", nil, "", 400, "InvalidArgument"},
		{"NoGeneration", "GET", "/photos/x?generation=1", nil, "", 404, "NoSuchVersion"},
		{"TwoGenerations", "GET", "/photos/x?generation=1&versionId=1", nil, "", 400, "InvalidArgument"},
		{"SourceGeneration", "PUT", "/photos/y", map[string]string{"x-goog-copy-source-generation": "1"}, "", 400, "InvalidArgument"},
		{"Nothing", "GET", "/photos/nothing", nil, "", 404, "NoSuchKey"},
		{"DeleteNothing", "DELETE", "/photos/nothing", nil, "", 404, "NoSuchKey"},
		{"Resume", "POST", "/photos/y", map[string]string{"x-goog-resumable": "stop"}, "", 400, "InvalidArgument"},
		{"ResumeForeign", "POST", "/archive/y", map[string]string{"x-goog-resumable": "start"}, "", 403, "AccessDenied"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path, text, _ := strings.Cut(tc.path, "?")
			query := map[string][]string{}
			for pair := range strings.SplitSeq(text, "&") {
				if name, value, ok := strings.Cut(pair, "="); ok {
					query[name] = []string{value}
				}
			}
			r := request{method: tc.method, path: f.signedURL(key, tc.method, path, now, query, tc.headers), body: tc.body, header: headerOf(tc.headers)}
			status, _, body := f.do(t, r, "")
			if status != tc.want || tc.code != "" && !strings.Contains(string(body), "<Code>"+tc.code+"</Code>") {
				t.Errorf("%d %s, want %d %s", status, body, tc.want, tc.code)
			}
		})
	}
	if status, _, body := f.do(t, request{method: "GET", path: "/photos/x"}, bearer(key)); status != http.StatusOK || string(body) != "content" {
		t.Errorf("rejected requests have left %d %s", status, body)
	}
}

// TestXMLChunks uploads without a Content-Length.
func TestXMLChunks(t *testing.T) {
	const limit = 1 << 10
	f := serve(t, gcs.Options{Options: pipeline.Options{MaxBodyBytes: limit}})
	key := f.account(t, "app", all("photos"))
	for _, tc := range []struct {
		name, body string
		headers    map[string]string
		want       int
		code       string
	}{
		{"Content", "content", nil, 200, ""},
		{"Empty", "", nil, 200, ""},
		{"AsLargeAsTheLimit", strings.Repeat("x", limit), nil, 200, ""},
		{"TooLarge", strings.Repeat("x", limit+1), nil, 400, "EntityTooLarge"},
		{"OtherHash", "x", map[string]string{"x-goog-hash": "crc32c=AAAAAA=="}, 400, "BadDigest"},
		{"LengthRange", "x", map[string]string{"x-goog-content-length-range": "0,10"}, 411, "MissingContentLength"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := "/photos/" + tc.name
			address := f.address + f.signedURL(key, http.MethodPut, path, time.Now().UTC(), nil, tc.headers)
			status, answer := putChunked(t, address, tc.body, tc.headers)
			if status != tc.want || tc.code != "" && !strings.Contains(answer, "<Code>"+tc.code+"</Code>") {
				t.Fatalf("%d %s, want %d %s", status, answer, tc.want, tc.code)
			}
			status, _, got := f.do(t, request{method: http.MethodGet, path: path}, bearer(key))
			if stored := status == http.StatusOK && string(got) == tc.body; stored != (tc.want == http.StatusOK) {
				t.Errorf("the object: %d, %d bytes", status, len(got))
			}
		})
	}
}

// putChunked sends a body without its length.
func putChunked(t *testing.T, address, body string, headers map[string]string) (status int, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, address, io.MultiReader(strings.NewReader(body)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header, r.TransferEncoding = headerOf(headers), []string{"chunked"}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(content)
}
