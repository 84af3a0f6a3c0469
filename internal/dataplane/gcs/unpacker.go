package gcs

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
)

// unpacker decompresses a response on its way to a client.
type unpacker struct {
	in   *io.PipeWriter
	done chan error
}

// unpack begins to decompress, and changes the headers, which must not be sent yet.
func unpack(w http.ResponseWriter) *unpacker {
	setUnpacked(w.Header())
	out, in := io.Pipe()
	u := &unpacker{in: in, done: make(chan error, 1)}
	go func() {
		err := decompress(w, out)
		_ = out.CloseWithError(errors.Join(err, io.ErrClosedPipe)) // fails pending writes, which have no reader
		u.done <- err
	}()
	return u
}

func decompress(w io.Writer, packed io.Reader) error {
	plain, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, plain) //nolint:gosec // it is streamed, not stored
	return err
}

// close returns when everything has been decompressed. The response to HEAD has no content.
func (u *unpacker) close(method string) error {
	_ = u.in.Close() // never returns an error
	err := <-u.done
	if method == http.MethodHead {
		return nil
	}
	return err
}
