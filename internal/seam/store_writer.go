package seam

import "net/http"

// discardWriter discards a response that no client receives.
type discardWriter struct{ header http.Header }

func newDiscardWriter() *discardWriter { return &discardWriter{http.Header{}} }

func (n *discardWriter) Header() http.Header         { return n.header }
func (n *discardWriter) WriteHeader(int)             {}
func (n *discardWriter) Write(p []byte) (int, error) { return len(p), nil }
func (n *discardWriter) Flush()                      {}

// cutter passes on the first bytes of a body, and discards the rest.
type cutter struct {
	http.ResponseWriter
	left int
}

func (c *cutter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *cutter) Write(p []byte) (int, error) {
	pass := min(c.left, len(p))
	c.left -= pass
	if n, err := c.ResponseWriter.Write(p[:pass]); err != nil {
		return n, err
	}
	return len(p), nil
}

// flipper flips one bit of a body.
type flipper struct {
	http.ResponseWriter
	left int // bytes up to and including the changed one; 0 after it
}

func (f *flipper) Unwrap() http.ResponseWriter { return f.ResponseWriter }

func (f *flipper) Write(p []byte) (int, error) {
	if f.left == 0 || f.left > len(p) {
		f.left = max(0, f.left-len(p))
		return f.ResponseWriter.Write(p)
	}
	flipped := append([]byte(nil), p...) // the caller owns the slice
	flipped[f.left-1] ^= 1
	f.left = 0
	return f.ResponseWriter.Write(flipped)
}
