package payload

import (
	"errors"
	"io"
	"net/http"
	"os"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/checksum"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/objects"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/s3/authentication"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/s3/s3op"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/s3error"
)

// Request is what is known of a request before its body is read.
type Request struct {
	R         *http.Request
	Operation s3op.Operation
	Signature authentication.Signature
	// Secret is what the request, and the chunks of its body, are signed with.
	Secret string
}

// Receive copies a body of at most limit bytes, and returns what has been found
// out about it. Errors are those of S3.
func Receive(to io.Writer, limit int64, r Request) (*Payload, error) {
	p, err := newPayload(r, limit)
	if err != nil {
		return nil, err
	}
	if err := p.copyTo(to); err != nil {
		return nil, readError(err)
	}
	return p, nil
}

// ETag returns the ETag of an object with this content. Only the payloads of
// uploads have one.
func (p *Payload) ETag() (etag objects.ETag) {
	p.md5.Sum(etag.Sum[:0])
	return etag
}

// Checksum returns the checksum that the client has sent, if it has.
func (p *Payload) Checksum() checksum.Sum { return p.sums.Sum() }

// readError turns what reading a connection returns into S3's errors.
func readError(err error) error {
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
