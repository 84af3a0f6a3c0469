package pipeline

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// Recorded is the response to a call of a batch, in memory.
type Recorded struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// NewRecorded returns an empty response.
func NewRecorded() *Recorded { return &Recorded{header: http.Header{}} }

// Header implements http.ResponseWriter.
func (r *Recorded) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter.
func (r *Recorded) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
}

// Write implements http.ResponseWriter.
func (r *Recorded) Write(data []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(data)
}

// Send writes the response in its form on a connection.
func (r *Recorded) Send(w io.Writer) error {
	r.WriteHeader(http.StatusOK)
	r.header.Set("Content-Length", strconv.Itoa(r.body.Len()))
	if _, err := fmt.Fprintf(w, "HTTP/1.1 %d %s\r\n", r.status, http.StatusText(r.status)); err != nil {
		return err
	}
	if err := r.header.Write(w); err != nil {
		return err
	}
	_, err := w.Write(append([]byte("\r\n"), r.body.Bytes()...))
	return err
}
