// Package awschunked reads uploads in the content encoding "aws-chunked", in
// which S3 clients wrap data to sign it piece by piece, or to append checksums
// that they know only at the end. It exists because gofakes3 ignores the
// signatures, and stores the framing of two of the three kinds as data.
package awschunked

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/s3error"
)

// Limits on what a client may make the reader hold besides the data.
const (
	maxLine    = 4 << 10
	maxChunk   = 16 << 20
	maxTrailer = 16
)

const chunkSignature = "chunk-signature="

// Signer checks the signatures of chunks and trailers, each of which covers the
// one before. Kinds without signatures have none.
type Signer interface {
	// Chunk reports whether the signature is that of the next chunk.
	Chunk(data []byte, signature string) bool
	// Trailer reports whether the signature is that of the trailer, given as
	// "name:value\n" lines.
	Trailer(canonical []byte, signature string) bool
}

// Stream says how an upload is framed.
type Stream struct {
	// Signer is nil for a kind without signatures.
	Signer Signer
	// Trailers are the names, in canonical form, of the trailers that the
	// request has announced; nil for a kind without trailers.
	Trailers []string
	// HasTrailer is whether a trailer section follows the last chunk.
	HasTrailer bool
	// Size is the number of bytes of data that the request has declared.
	Size int64
}

// Read returns the data of a stream, and its trailers. It holds no more memory
// than has arrived. Errors are *s3error.Error, or what reading returned.
func (s Stream) Read(in io.Reader) ([]byte, http.Header, error) {
	r := &reader{Stream: s, in: bufio.NewReaderSize(in, maxLine)}
	for {
		last, err := r.chunk()
		if err != nil {
			return nil, nil, unexpected(err)
		}
		if last {
			break
		}
	}
	if int64(r.data.Len()) != s.Size {
		return nil, nil, s3error.ErrIncompleteBody
	}
	trailers, err := r.trailers()
	if err != nil {
		return nil, nil, unexpected(err)
	}
	return r.data.Bytes(), trailers, nil
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return s3error.ErrIncompleteBody
	}
	return err
}

type reader struct {
	Stream

	in   *bufio.Reader
	data bytes.Buffer
}

// chunk reads one chunk and reports whether it was the last, which is empty.
func (r *reader) chunk() (last bool, err error) {
	header, err := r.line()
	if err != nil {
		return false, err
	}
	size, signature, err := parseHeader(header)
	if err != nil {
		return false, err
	}
	start := r.data.Len()
	if size > r.Size-int64(start) {
		return false, s3error.ErrIncompleteBody
	}
	if _, err := io.CopyN(&r.data, r.in, size); err != nil {
		return false, err
	}
	if r.Signer != nil && !r.Signer.Chunk(r.data.Bytes()[start:], signature) {
		return false, s3error.ErrSignatureDoesNotMatch
	}
	if size == 0 {
		return true, nil
	}
	end, err := r.line()
	if err == nil && end != "" {
		err = s3error.ErrInvalidRequest.With("A chunk is longer than its header says")
	}
	return false, err
}

// line reads up to a line feed; the carriage return before it may be missing,
// as it is in the trailers of some clients.
func (r *reader) line() (string, error) {
	line, err := r.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return "", s3error.ErrInvalidRequest.With("A chunk header or trailer is too long")
	}
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(string(line[:len(line)-1]), "\r"), nil
}

func parseHeader(line string) (int64, string, error) {
	digits, extension, _ := strings.Cut(line, ";")
	size, err := strconv.ParseUint(digits, 16, 63)
	if err != nil || size > maxChunk {
		return 0, "", s3error.ErrInvalidRequest.With("A chunk header is malformed, or the chunk larger than 16 MiB")
	}
	return int64(size), strings.TrimPrefix(extension, chunkSignature), nil
}
