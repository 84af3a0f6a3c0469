package store

import (
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/s3op"
)

// readBody reads the body and makes sure that it is what was signed, before
// anything is changed. It holds no more memory than has arrived, whatever length
// was declared.
func (s *Store) readBody(x *exchange) error {
	switch x.operation.Body {
	case s3op.Document:
		var document bytes.Buffer
		if _, err := s.receive(x, &document, min(s.options.MaxBodyBytes, maxDocumentBytes)); err != nil {
			return err
		}
		x.body = document.Bytes()
	case s3op.Data:
		return s.receiveContent(x)
	case s3op.NoBody:
	}
	return nil
}

// receive copies a body, and returns what has been found out about it when it is
// whole and right.
func (s *Store) receive(x *exchange, to io.Writer, limit int64) (*payload, error) {
	p, err := newPayload(x, x.r.Body, limit)
	if err != nil {
		return nil, err
	}
	if err := p.copyTo(to); err != nil {
		return nil, bodyError(err)
	}
	return p, nil
}

// bodyError turns what reading a connection returns into S3's errors.
func bodyError(err error) error {
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
