package payload

import (
	"crypto/md5" //nolint:gosec // the algorithm of Content-MD5 and of ETags
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"io"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/authentication"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/awschunked"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
)

// Payload is a body in transfer, with its digests.
type Payload struct {
	r      Request
	in     io.Reader
	stream *awschunked.Reader // nil: the encoding is not aws-chunked
	size   int64
	md5    hash.Hash // nil: not needed
	sha256 hash.Hash // nil: not declared
	sums   *checksum.Verifier
}

// newPayload checks the headers about a body. It does not read the body.
func newPayload(r Request, limit int64) (*Payload, error) {
	p := &Payload{r: r, size: r.R.ContentLength}
	if r.Operation.Uploads() || r.R.Header["Content-Md5"] != nil {
		p.md5 = md5.New() //nolint:gosec // see the import
	}
	trailers := announced(r.R.Header)
	if err := p.open(limit, len(trailers) > 0); err != nil {
		return nil, err
	}
	if err := checkSize(p.size, limit); err != nil {
		return nil, err
	}
	err := p.expectChecksums(trailers)
	return p, err
}

// open determines the framing of the body.
func (p *Payload) open(limit int64, hasTrailers bool) error {
	r, declared := p.r, p.r.R.Header.Get("X-Amz-Content-Sha256")
	streams := r.File == nil && strings.HasPrefix(declared, "STREAMING-")
	switch {
	case hasTrailers && !streams:
		return s3error.ErrInvalidRequest.With("The header x-amz-trailer announces what can follow a streaming upload only")
	case r.File != nil:
		p.in, p.size = r.File.bounded(limit), 0
	case streams:
		stream, err := newStream(r, declared)
		if err != nil {
			return err
		}
		p.stream, p.size = awschunked.NewReader(r.R.Body, stream), stream.Size
		p.in = p.stream
	default:
		if declared != "" && declared != authentication.UnsignedPayload {
			p.sha256 = sha256.New()
		}
		p.in = io.LimitReader(r.R.Body, p.size)
	}
	return nil
}

func checkSize(size, limit int64) error {
	switch {
	case size < 0:
		return s3error.ErrMissingContentLength
	case size > limit:
		return s3error.ErrEntityTooLarge
	}
	return nil
}

func (p *Payload) expectChecksums(trailers []string) (err error) {
	if p.r.Operation.Name == "CompleteMultipartUpload" {
		p.sums = &checksum.Verifier{} // the checksum covers the object, not the document
		return nil
	}
	p.sums, err = checksum.NewVerifier(p.r.R.Header, trailers)
	if err == nil && (p.r.Operation.Name == "PutObject" || p.r.File != nil) {
		p.sums.Default(checksum.Default)
	}
	return err
}

func (p *Payload) Read(buffer []byte) (int, error) {
	n, err := p.in.Read(buffer)
	passed := buffer[:n]
	_, _ = p.sums.Write(passed) // digests return no errors
	if p.md5 != nil {
		_, _ = p.md5.Write(passed)
	}
	if p.sha256 != nil {
		_, _ = p.sha256.Write(passed)
	}
	return n, err
}

// copyTo copies the body, and verifies it. A writer may implement io.ReaderFrom.
func (p *Payload) copyTo(to io.Writer) error {
	n, err := io.Copy(to, p)
	switch {
	case err != nil:
		return err
	case n != p.size && p.r.File == nil:
		return s3error.ErrIncompleteBody
	}
	return p.check()
}

func (p *Payload) check() error {
	if err := p.checkSHA256(); err != nil {
		return err
	}
	if err := p.checkMD5(); err != nil {
		return err
	}
	if err := p.sums.Check(p.r.R.Header); err != nil || p.stream == nil {
		return err
	}
	return p.sums.Check(p.stream.Trailers())
}

func (p *Payload) checkSHA256() error {
	if p.sha256 == nil {
		return nil
	}
	want, err := hex.DecodeString(p.r.R.Header.Get("X-Amz-Content-Sha256"))
	if err != nil || len(want) != sha256.Size {
		return s3error.ErrInvalidArgument.With("x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, " +
			"STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER, or a valid sha256 value.")
	}
	if [sha256.Size]byte(want) != [sha256.Size]byte(p.sha256.Sum(nil)) {
		return s3error.ErrContentSHA256Mismatch
	}
	return nil
}

func (p *Payload) checkMD5() error {
	if _, given := p.r.R.Header["Content-Md5"]; !given {
		return nil
	}
	want, err := base64.StdEncoding.DecodeString(p.r.R.Header.Get("Content-Md5"))
	if err != nil || len(want) != md5.Size {
		return s3error.ErrInvalidDigest.About("Content-MD5", p.r.R.Header.Get("Content-Md5"))
	}
	if [md5.Size]byte(want) != [md5.Size]byte(p.md5.Sum(nil)) {
		return s3error.ErrBadDigest
	}
	return nil
}
