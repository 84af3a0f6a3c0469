package answers

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
)

// gofakes3Writer is the http.ResponseWriter of gofakes3. It corrects headers on their way to the
// client. It holds everything back until finish, except the content of objects, which may be large.
type gofakes3Writer struct {
	x      *exchange
	header http.Header
	status int
	held   bytes.Buffer
}

func newGofakes3Writer(x *exchange) *gofakes3Writer {
	return &gofakes3Writer{x: x, header: http.Header{}}
}

func (w *gofakes3Writer) Header() http.Header { return w.header }

func (w *gofakes3Writer) WriteHeader(status int) {
	if w.status != 0 {
		return
	}
	w.status = status
	if w.streams() {
		w.send()
	}
}

// streams reports whether the response is the content of an object.
func (w *gofakes3Writer) streams() bool {
	return w.x.Operation.Name == "GetObject" && w.status < http.StatusMultipleChoices
}

func (w *gofakes3Writer) Write(data []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	switch {
	case !w.streams():
		return w.held.Write(data)
	case w.x.failure != nil:
		return 0, w.x.failure
	}
	return w.x.W.Write(data)
}

// finish sends the held response. It returns the request's error; an error of gofakes3 itself can
// only be a bug in its input.
func (w *gofakes3Writer) finish() error {
	w.WriteHeader(http.StatusOK)
	switch {
	case w.streams():
		return nil
	case w.x.failure != nil:
		return w.x.failure
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
func (w *gofakes3Writer) send() {
	target := w.x.W.Header()
	for name, values := range w.header {
		if !slices.Contains(dropped, name) {
			target[name] = values
		}
	}
	if target.Get("X-Amz-Delete-Marker") == "false" {
		target.Del("X-Amz-Delete-Marker")
	}
	w.x.describeOutcome()
	w.x.W.WriteHeader(w.status)
}
