package store

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
)

// answer is the http.ResponseWriter that gofakes3 writes to. It corrects headers
// on their way to the client. It holds everything back until finish, except the
// content of objects, which may be large.
type answer struct {
	x      *exchange
	header http.Header
	status int
	held   bytes.Buffer
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
	if a.streams() {
		a.send()
	}
}

// streams reports whether the answer is the content of an object.
func (a *answer) streams() bool {
	return a.x.operation.Name == "GetObject" && a.status < http.StatusMultipleChoices
}

// Write implements http.ResponseWriter.
func (a *answer) Write(data []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	switch {
	case !a.streams():
		return a.held.Write(data)
	case a.x.failure != nil:
		return 0, a.x.failure
	}
	return a.x.w.Write(data)
}

// finish sends what was held back. The error is what the request failed with; that
// of gofakes3 itself can only be a mistake in what it was given.
func (a *answer) finish() error {
	a.WriteHeader(http.StatusOK)
	switch {
	case a.streams():
		return nil
	case a.x.failure != nil:
		return a.x.failure
	case a.status >= http.StatusBadRequest:
		return fmt.Errorf("gofakes3 has answered %d: %s", a.status, a.held.Bytes())
	}
	if a.held.Len() > 0 {
		a.header.Set("Content-Type", "application/xml")
	}
	a.send()
	_, _ = a.x.w.Write(a.held.Bytes()) // a client that has gone is not our error
	return nil
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
	a.x.w.WriteHeader(a.status)
}
