package s3

import (
	"bytes"
	"io"
	"math"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/authentication"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/payload"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3op"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

// maxDocumentBytes is the maximum size of XML bodies. A full DeleteObjects has at most 1000 keys of
// 1024 bytes.
const maxDocumentBytes = 4 << 20

// readBody reads and verifies the body before any change. It allocates memory for the received
// bytes, not for the declared length.
func (s *Service) readBody(x *s3exchange.Exchange) error {
	switch x.Operation.Body {
	case s3op.Document, s3op.RequiredDocument:
		return s.receiveDocument(x)
	case s3op.Data, s3op.Form:
		return s.receiveContent(x)
	case s3op.NoBody:
		if x.Operation.CopySource && x.R.ContentLength != 0 {
			return s3error.ErrUnexpectedContent
		}
	}
	return nil
}

func (s *Service) receiveDocument(x *s3exchange.Exchange) error {
	switch {
	case x.Operation.Body == s3op.RequiredDocument && x.R.ContentLength == 0:
		return s3error.ErrMissingRequestBody
	case x.Operation.Digest && x.Dialect.Protocol == fakedriver.ProtocolS3 && !x.HasDigest():
		return s3error.ErrInvalidRequest.With("Missing required header for this request: Content-MD5 OR x-amz-checksum-*")
	}
	var document bytes.Buffer
	_, err := receive(x, &document, min(s.options.MaxBodyBytes, maxDocumentBytes))
	x.Body = document.Bytes()
	return err
}

func (s *Service) receiveContent(x *s3exchange.Exchange) error {
	var received *payload.Payload
	content, err := pipeline.Receive(s.options.Store.Blobs(), func(writer io.Writer) (err error) {
		received, err = receive(x, writer, s.options.MaxBodyBytes)
		return err
	})
	if err != nil {
		return err
	}
	x.Hold(content.Release)
	x.Content = s3exchange.Content{Body: content, ETag: received.ETag(), Checksum: received.Checksum()}
	return nil
}

func receive(x *s3exchange.Exchange, to io.Writer, limit int64) (*payload.Payload, error) {
	return payload.Receive(to, limit, payload.Request{R: x.R, Operation: x.Operation, Signature: x.Signature, File: contentOf(x)})
}

// contentOf returns the part of the body that is the content, if not all of it. A body in chunks of
// HTTP is like such a part: its size is known when it ends.
func contentOf(x *s3exchange.Exchange) *payload.File {
	declared := x.R.Header.Get("X-Amz-Content-Sha256")
	chunked := x.Dialect.Chunked && x.Operation.Name == "PutObject" && x.R.ContentLength < 0
	if chunked && (declared == "" || declared == authentication.UnsignedPayload) {
		return &payload.File{Content: x.R.Body, Max: math.MaxInt64}
	}
	return x.File
}
