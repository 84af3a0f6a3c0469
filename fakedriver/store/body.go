package store

import (
	"bytes"
	"crypto/md5" //nolint:gosec // the algorithm of Content-MD5
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/checksum"
	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/s3error"
	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/s3op"
)

const unsignedPayload = "UNSIGNED-PAYLOAD"

// readBody reads the body and makes sure that it is what was signed, before
// anything is stored. It holds no more memory than has arrived, whatever length
// was declared.
func (s *Store) readBody(x *exchange) error {
	if x.operation.Body == s3op.NoBody {
		x.body = nil
		return nil
	}
	limit := s.options.MaxBodyBytes
	if x.operation.Body == s3op.Document {
		limit = min(limit, maxDocumentBytes)
	}
	in := s.bodyReader(x)
	defer in.end()
	body, err := readPayload(x, in, limit)
	if err != nil {
		return bodyError(err)
	}
	x.body = body
	return nil
}

func readPayload(x *exchange, in io.Reader, limit int64) ([]byte, error) {
	declared := x.r.Header.Get("X-Amz-Content-Sha256")
	if strings.HasPrefix(declared, "STREAMING-") {
		return readStream(x, in, declared, limit)
	}
	body, err := readPlain(x.r.ContentLength, in, limit)
	if err != nil {
		return nil, err
	}
	if err := checkSHA256(declared, body); err != nil {
		return nil, err
	}
	if err := checkMD5(x.r.Header, body); err != nil {
		return nil, err
	}
	if x.operation.Name == "CompleteMultipartUpload" {
		return body, nil // its checksum is of the object, not of the document
	}
	return body, checksum.Verify(x.r.Header, body)
}

func readPlain(length int64, in io.Reader, limit int64) ([]byte, error) {
	switch {
	case length < 0:
		return nil, s3error.ErrMissingContentLength
	case length > limit:
		return nil, s3error.ErrEntityTooLarge
	}
	var body bytes.Buffer
	if _, err := io.CopyN(&body, in, length); err != nil {
		return nil, err
	}
	return body.Bytes(), nil
}

func checkSHA256(declared string, body []byte) error {
	if declared == "" || declared == unsignedPayload {
		return nil
	}
	want, err := hex.DecodeString(declared)
	if err != nil || len(want) != sha256.Size {
		return s3error.ErrInvalidArgument.With("x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, " +
			"STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER, or a valid sha256 value.")
	}
	if sha256.Sum256(body) != [sha256.Size]byte(want) {
		return s3error.ErrContentSHA256Mismatch
	}
	return nil
}

func checkMD5(header http.Header, body []byte) error {
	if _, given := header["Content-Md5"]; !given {
		return nil
	}
	want, err := base64.StdEncoding.DecodeString(header.Get("Content-Md5"))
	if err != nil || len(want) != md5.Size {
		return s3error.ErrInvalidDigest
	}
	if md5.Sum(body) != [md5.Size]byte(want) { //nolint:gosec // see the import
		return s3error.ErrBadDigest
	}
	return nil
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

// progressReader reads a body, every piece of which must come within a time.
type progressReader struct {
	in       io.Reader
	control  *http.ResponseController
	patience time.Duration
}

func (s *Store) bodyReader(x *exchange) progressReader {
	return progressReader{in: x.r.Body, control: http.NewResponseController(x.w), patience: s.options.BodyTimeout}
}

// Read implements io.Reader.
func (p progressReader) Read(buffer []byte) (int, error) {
	// Not every ResponseWriter has deadlines; net/http's has.
	_ = p.control.SetReadDeadline(time.Now().Add(p.patience))
	return p.in.Read(buffer)
}

func (p progressReader) end() { _ = p.control.SetReadDeadline(time.Time{}) }
