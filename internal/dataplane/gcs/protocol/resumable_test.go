package protocol_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
)

// session begins an upload of x in several requests, and returns its path.
func (f *fixture) session(t *testing.T, authorization string) string {
	t.Helper()
	begin := request{method: "POST", path: "/upload/storage/v1/b/photos/o?uploadType=resumable&name=x"}
	status, header, body := f.do(t, begin, authorization)
	u, err := url.Parse(header.Get("Location"))
	if status != ok || err != nil || u.Path == "" {
		t.Fatalf("begin: %d %s %v", status, body, err)
	}
	return u.RequestURI()
}

func chunk(path, content, span string) request {
	return request{method: "PUT", path: path, body: content, header: http.Header{"Content-Range": {"bytes " + span}}}
}

// quantum is the size of which every chunk but the last is a multiple.
const quantum = 256 << 10

var numbers = regexp.MustCompile(`\d+`)

// scaled is a chunk in units of quantum: each letter of the content, and each position, is one.
func scaled(path, letters, span string) request {
	first, total, _ := strings.Cut(span, "/")
	from, to, isRange := strings.Cut(first, "-")
	if isRange && to != "*" {
		last, _ := strconv.Atoi(to)
		to = strconv.Itoa((last+1)*quantum - 1)
	}
	if isRange {
		first = times(from) + "-" + to
	}
	var content strings.Builder
	for _, letter := range letters {
		content.WriteString(strings.Repeat(string(letter), quantum))
	}
	return chunk(path, content.String(), first+"/"+times(total))
}

func times(text string) string {
	return numbers.ReplaceAllStringFunc(text, func(number string) string {
		n, _ := strconv.Atoi(number)
		return strconv.Itoa(n * quantum)
	})
}

// received returns the header Range of a response in units of quantum; empty for nothing.
func received(header http.Header) string {
	text, ok := strings.CutPrefix(header.Get("Range"), "bytes=0-")
	last, err := strconv.Atoi(text)
	if !ok || err != nil {
		return header.Get("Range")
	}
	return fmt.Sprintf("0-%g", float64(last+1)/quantum-1)
}

// lettersOf returns a content in units of quantum.
func lettersOf(content []byte) string {
	var letters []byte
	for i := 0; i < len(content); i += quantum {
		letters = append(letters, content[i])
	}
	return string(letters)
}

// TestResumableSteps is an upload whose client loses responses, and makes mistakes.
func TestResumableSteps(t *testing.T) {
	f := serve(t, gcs.Options{Options: pipeline.Options{MaxBodyBytes: 20 * quantum}})
	key := bearer(f.account(t, "app", all("photos")))
	path := f.session(t, key)
	for _, step := range []struct {
		reason, content, span string
		status                int
		have                  string // as in the header Range
	}{
		{"Nothing has come.", "", "*/*", 308, ""},
		{"It must not begin later.", "45", "4-5/*", 400, ""},
		{"The first.", "0123", "0-3/*", 308, "0-3"},
		{"Its answer was lost.", "0123", "0-3/*", 308, "0-3"},
		{"How much has come?", "", "*/10", 308, "0-3"},
		{"One that begins with what has come.", "2345", "2-5/*", 308, "0-5"},
		{"Other bytes than it says.", "67", "6-8/*", 400, ""},
		{"Not a header.", "67", "x", 400, ""},
		{"More than may come.", "6789012345678901", "6-21/*", 413, ""},
		{"The last.", "6789", "6-9/10", 200, ""},
		{"Its answer was lost.", "6789", "6-9/10", 200, ""},
		{"Was it stored?", "", "*/10", 200, ""},
		{"Has everything come?", "", "*/*", 200, ""},
	} {
		status, header, body := f.do(t, scaled(path, step.content, step.span), key)
		if status != step.status || received(header) != step.have {
			t.Errorf("%s: %d, Range %q, %s; want %d, %q", step.reason, status, header.Get("Range"), body, step.status, step.have)
		}
	}
	if status, _, body := f.do(t, request{method: "GET", path: "/photos/x"}, key); status != ok || lettersOf(body) != "0123456789" {
		t.Errorf("the object: %d %s", status, lettersOf(body))
	}
}

// TestResumableOwner tries to use another key's upload.
func TestResumableOwner(t *testing.T) {
	f := serve(t, gcs.Options{})
	f.bucket(t, "archive")
	mine := bearer(f.account(t, "mine", all("photos"), all("archive")))
	yours := bearer(f.account(t, "yours", all("photos"), all("archive")))
	path := f.session(t, mine)
	elsewhere := strings.Replace(path, "photos", "archive", 1)
	renamed := strings.Replace(path, "name=x", "name=y", 1)
	for _, tc := range []struct {
		name string
		request
		authorization string
		want          int
	}{
		{"NoToken", chunk(path, "x", "0-0/1"), "", 401},
		{"OtherKey", chunk(path, "x", "0-0/1"), yours, 404},
		{"OtherBucket", chunk(elsewhere, "x", "0-0/1"), mine, 404},
		{"OtherName", chunk(renamed, "x", "0-0/1"), mine, 400},
		{"OtherCancels", request{method: "DELETE", path: path}, yours, 404},
		{"Cancel", request{method: "DELETE", path: path}, mine, 499},
		{"Cancelled", chunk(path, "x", "0-0/1"), mine, 499},
		{"CancelAgain", request{method: "DELETE", path: path}, mine, 499},
		{"OtherAsks", chunk(path, "", "*/*"), yours, 404},
	} {
		if status, _, body := f.do(t, tc.request, tc.authorization); status != tc.want {
			t.Errorf("%s: %d %s, want %d", tc.name, status, body, tc.want)
		}
	}
	path = f.session(t, mine)
	if err := f.store.DeleteAccount(t.Context(), owner, "mine"); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{mine, yours} {
		if status, _, _ := f.do(t, chunk(path, "x", "0-0/1"), key); status != 401 && status != 404 {
			t.Errorf("after revocation: %d", status)
		}
	}
}

func TestResumableLimits(t *testing.T) {
	f := serve(t, gcs.Options{UploadTimeout: time.Nanosecond})
	key := bearer(f.account(t, "app", all("photos")))
	if status, _, _ := f.do(t, chunk(f.session(t, key), "x", "0-0/1"), key); status != http.StatusNotFound {
		t.Errorf("an expired upload: %d", status)
	}
	f = serve(t, gcs.Options{})
	key = bearer(f.account(t, "app", all("photos")))
	for range 100 {
		f.session(t, key)
	}
	begin := request{method: "POST", path: "/upload/storage/v1/b/photos/o?uploadType=resumable&name=x"}
	if status, _, body := f.do(t, begin, key); status != http.StatusTooManyRequests || !bytes.Contains(body, []byte("rateLimitExceeded")) {
		t.Errorf("the 101st: %d %s", status, body)
	}
}
