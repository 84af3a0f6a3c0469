package payload

import (
	"errors"
	"io"
	"net/http"
	"os"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/authentication"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3op"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// Request is the part of a request before its body.
type Request struct {
	R         *http.Request
	Operation s3op.Operation
	// Signature is verified. Its key signs the chunks, too.
	Signature authentication.Signature
	// File is the part of the body that is the content; nil for all of it.
	File *File
}

// Receive copies a body of at most limit bytes, and verifies it. Errors are S3's.
func Receive(to io.Writer, limit int64, r Request) (*Payload, error) {
	p, err := newPayload(r, limit)
	if err != nil {
		return nil, err
	}
	if err := p.copyTo(to); err != nil {
		return nil, ReadError(err)
	}
	return p, nil
}

// ETag returns the ETag of an object with this content. Only the payloads of uploads have one.
func (p *Payload) ETag() (etag objects.ETag) {
	p.md5.Sum(etag.Sum[:0])
	return etag
}

// Checksum returns the checksum of the client's choice, or the default one.
func (p *Payload) Checksum() checksum.Sum { return p.sums.Sum() }

// ReadError converts an error of a connection into an S3 error.
func ReadError(err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return s3error.ErrRequestTimeout
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return s3error.ErrIncompleteBody
	}
	if found, ok := errors.AsType[*s3error.Error](err); ok {
		return found
	}
	return s3error.ErrIncompleteBody.With("The request body could not be read")
}
