package store

import (
	"bytes"
	"encoding/xml"
	"net/http"
	"slices"
	"strconv"

	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/s3error"
)

// answer is the http.ResponseWriter that gofakes3 writes to. It corrects headers
// and errors on their way to the client. It holds everything back until finish,
// except the content of objects, which may be large.
type answer struct {
	x       *exchange
	header  http.Header
	status  int
	held    bytes.Buffer
	streams bool
}

func newAnswer(x *exchange) *answer { return &answer{x: x, header: http.Header{}} }

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if a.status != 0 {
		return
	}
	a.status = status
	if a.x.operation.Name == "GetObject" && status < http.StatusMultipleChoices {
		a.streams = true
		a.send()
	}
}

// Write implements http.ResponseWriter.
func (a *answer) Write(data []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if !a.streams {
		return a.held.Write(data)
	}
	return a.x.w.Write(data)
}

// finish sends what was held back. The error is what the request failed with.
func (a *answer) finish() error {
	a.WriteHeader(http.StatusOK)
	if a.streams {
		return nil
	}
	if a.x.failure != nil {
		return a.x.failure
	}
	if a.status >= http.StatusBadRequest {
		return a.failure()
	}
	if a.x.r.Method != http.MethodHead && a.status != http.StatusNotModified && a.status != http.StatusNoContent {
		a.header.Set("Content-Length", strconv.Itoa(a.held.Len()))
	}
	a.send()
	if a.status != http.StatusNotModified {
		_, _ = a.x.w.Write(a.held.Bytes()) // a client that has gone is not our error
	}
	return nil
}

// failure reads gofakes3's error document, which lacks much that clients expect.
func (a *answer) failure() error {
	var document struct {
		Code    string `xml:"Code"`
		Message string `xml:"Message"`
	}
	_ = xml.Unmarshal(a.held.Bytes(), &document) // answers to HEAD have none
	if document.Code == "" {
		return byStatus(a.status)
	}
	failure := s3error.ByCode(document.Code, a.status)
	if document.Message != "" && document.Message != document.Code && failure != s3error.ErrInternalError {
		failure = failure.With(document.Message)
	}
	return failure
}

func byStatus(status int) error {
	code := map[int]string{
		http.StatusNotFound: "NoSuchKey", http.StatusPreconditionFailed: "PreconditionFailed",
		http.StatusRequestedRangeNotSatisfiable: "InvalidRange", http.StatusBadRequest: "InvalidArgument",
		http.StatusNotImplemented: "NotImplemented",
	}[status]
	return s3error.ByCode(code, status)
}

// dropped are the headers that gofakes3 sets and S3 does not, or that say what
// the store's own say already, and better.
var dropped = []string{"Access-Control-Allow-Origin", "Etag", "Server", "X-Amz-Id-2", "X-Amz-Request-Id"}

// send writes the status and the corrected headers.
func (a *answer) send() {
	target := a.x.w.Header()
	for name, values := range a.header {
		if !slices.Contains(dropped, name) {
			target[name] = values
		}
	}
	if target.Get("X-Amz-Delete-Marker") == "false" {
		target.Del("X-Amz-Delete-Marker")
	}
	a.x.describeOutcome()
	if target.Get("Content-Type") == "" && a.held.Len() > 0 {
		target.Set("Content-Type", "application/xml")
	}
	a.x.w.WriteHeader(a.status)
}
