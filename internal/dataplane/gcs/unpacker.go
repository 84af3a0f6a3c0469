package gcs

import (
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"net/http"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
)

// unpackBody replaces the body of a request to the JSON API by its decompressed content. Google's clients
// for Java and .NET compress all documents and small uploads, and gsutil does with -J. The encoding of an object
// is in its metadata, never in this header.
func unpackBody(r *http.Request) error {
	switch r.Header.Get("Content-Encoding") {
	case "":
		return nil
	case "gzip":
		r.Body = &unpackedBody{packed: r.Body}
		r.ContentLength = -1
		return nil
	}
	return failure.ErrInvalid.With("The Content-Encoding of a request must be gzip. " +
		"Declare the encoding of an object in its metadata, or in the parameter contentEncoding.")
}

// unpackedBody decompresses a body while it is read. An empty body stays empty.
type unpackedBody struct {
	packed io.ReadCloser
	plain  *gzip.Reader
}

func (b *unpackedBody) Read(data []byte) (int, error) {
	if b.plain == nil {
		plain, err := gzip.NewReader(b.packed)
		if err != nil {
			return 0, unpackError(err)
		}
		b.plain = plain
	}
	n, err := b.plain.Read(data)
	return n, unpackError(err)
}

func (b *unpackedBody) Close() error { return b.packed.Close() }

func unpackError(err error) error {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	if corrupt || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) {
		return failure.ErrInvalid.With("The body does not match its Content-Encoding, gzip")
	}
	return err
}

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
