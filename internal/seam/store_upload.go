package seam

import (
	"io"
	"net/http"
)

// serveCut handles a request of which only the first bytes of the body arrive. It reports whether
// there were more. The client does not receive the store's response; the journal records it.
func (o *operation) serveCut(w *responseRecorder, r *http.Request, next http.Handler) (hangUp bool) {
	body := &cutUpload{ReadCloser: r.Body, left: o.effect().CutUpload}
	r.Body = body
	lost := &responseRecorder{ResponseWriter: newDiscardWriter()}
	next.ServeHTTP(&hangUpWriter{ResponseWriter: w, instead: lost, body: body}, r)
	if body.broken {
		o.event.Response = lost.summary()
	}
	return body.broken
}

type cutUpload struct {
	io.ReadCloser

	left   int
	broken bool
}

func (c *cutUpload) Read(p []byte) (int, error) {
	if c.broken {
		return 0, io.ErrUnexpectedEOF
	}
	if c.left == 0 {
		var more [1]byte
		n, err := io.ReadFull(c.ReadCloser, more[:])
		if c.broken = n > 0; c.broken {
			err = io.ErrUnexpectedEOF
		}
		return 0, err
	}
	n, err := c.ReadCloser.Read(p[:min(c.left, len(p))])
	c.left -= n
	return n, err
}

// hangUpWriter writes to another writer once the connection is broken.
type hangUpWriter struct {
	http.ResponseWriter

	instead http.ResponseWriter
	body    *cutUpload
}

func (h *hangUpWriter) Unwrap() http.ResponseWriter { return h.ResponseWriter }

func (h *hangUpWriter) to() http.ResponseWriter {
	if h.body.broken {
		return h.instead
	}
	return h.ResponseWriter
}

func (h *hangUpWriter) Header() http.Header         { return h.to().Header() }
func (h *hangUpWriter) WriteHeader(status int)      { h.to().WriteHeader(status) }
func (h *hangUpWriter) Write(p []byte) (int, error) { return h.to().Write(p) }

type flippedUpload struct {
	io.ReadCloser

	left int // bytes up to and including the changed one; 0 after it
}

func (f *flippedUpload) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	if f.left > 0 && f.left <= n {
		p[f.left-1] ^= 1
		f.left = 0
	}
	f.left = max(0, f.left-n)
	return n, err
}
