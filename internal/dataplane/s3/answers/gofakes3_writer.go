package answers

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
)

// writer is the http.ResponseWriter of gofakes3. It corrects headers on their way to the
// client. It holds everything back until finish, except the content of objects, which may be large.
type writer struct {
	x      *s3exchange.Exchange
	header http.Header
	status int
	held   bytes.Buffer
}

func newWriter(x *s3exchange.Exchange) *writer {
	return &writer{x: x, header: http.Header{}}
}

func (w *writer) Header() http.Header { return w.header }

func (w *writer) WriteHeader(status int) {
	if w.status != 0 {
		return
	}
	w.status = status
	if w.streams() {
		w.send()
	}
}

// streams reports whether the response is the content of an object.
func (w *writer) streams() bool {
	return w.x.Operation.Name == "GetObject" && w.status < http.StatusMultipleChoices
}

func (w *writer) Write(data []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	switch {
	case !w.streams():
		return w.held.Write(data)
	case w.x.Failure != nil:
		return 0, w.x.Failure
	}
	return w.x.W.Write(data)
}

// finish sends the held response. It returns the request's error; an error of gofakes3 itself can
// only be a bug in its input.
func (w *writer) finish() error {
	w.WriteHeader(http.StatusOK)
	switch {
	case w.streams():
		return nil
	case w.x.Failure != nil:
		return w.x.Failure
	case w.status >= http.StatusBadRequest:
		return fmt.Errorf("gofakes3 has answered %d: %s", w.status, w.held.Bytes())
	}
	if w.held.Len() > 0 {
		w.header.Set("Content-Type", "application/xml")
	}
	w.send()
	_, _ = w.x.W.Write(w.held.Bytes()) // the client may have disconnected
	return nil
}

// dropped are headers that gofakes3 sets and S3 does not, or that the store sets itself.
var dropped = []string{"Access-Control-Allow-Origin", "Etag", "Server", "X-Amz-Id-2", "X-Amz-Request-Id"}

// send writes the status and the corrected headers.
func (w *writer) send() {
	target := w.x.W.Header()
	for name, values := range w.header {
		if !slices.Contains(dropped, name) {
			target[name] = values
		}
	}
	if target.Get("X-Amz-Delete-Marker") == "false" {
		target.Del("X-Amz-Delete-Marker")
	}
	w.x.DescribeOutcome()
	w.x.W.WriteHeader(w.status)
}
