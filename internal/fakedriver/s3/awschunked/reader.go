package awschunked

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/s3error"
)

// Reader gives the data of a stream, without the framing. What it has returned
// is worth nothing until it has returned io.EOF: only then the lengths, the
// trailers and all signatures have been verified. Any other error lasts; it is
// an *s3error.Error, or what reading the stream returned.
type Reader struct {
	stream Stream
	in     *bufio.Reader

	left     int64        // of the chunk that is being read, without a Signer
	verified bytes.Buffer // of the chunk that is being read, with one
	seen     int64        // the sum of the chunks' sizes so far
	trailers http.Header
	err      error
}

// NewReader returns a Reader of a stream. It holds no more memory than has
// arrived, and at most one chunk, if that is signed.
func NewReader(in io.Reader, stream Stream) *Reader {
	return &Reader{stream: stream, in: bufio.NewReaderSize(in, maxLine)}
}

// Trailers returns the headers that have followed the data, once Read has
// returned io.EOF, and nil before.
func (r *Reader) Trailers() http.Header { return r.trailers }

// Read implements io.Reader.
func (r *Reader) Read(p []byte) (int, error) {
	for len(p) > 0 && r.err == nil && r.left == 0 && r.verified.Len() == 0 {
		r.err = r.advance()
	}
	switch {
	case r.err != nil:
		return 0, r.err
	case r.verified.Len() > 0:
		return r.verified.Read(p)
	case len(p) == 0:
		return 0, nil
	}
	n, err := r.in.Read(p[:min(int64(len(p)), r.left)])
	r.left -= int64(n)
	if err == nil && r.left == 0 {
		err = r.endChunk()
	}
	r.err = incomplete(err)
	return n, r.err
}

// advance reads on to the next chunk's data, and returns io.EOF when all has
// been read and found right.
func (r *Reader) advance() error {
	last, err := r.beginChunk()
	if err != nil || !last {
		return incomplete(err)
	}
	if r.seen != r.stream.Size {
		return s3error.ErrIncompleteBody
	}
	trailers, err := r.readTrailers()
	if err != nil {
		return incomplete(err)
	}
	r.trailers = trailers
	return io.EOF
}

// incomplete is for places where the stream must not end.
func incomplete(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return s3error.ErrIncompleteBody
	}
	return err
}

// line reads up to a line feed; the carriage return before it may be missing,
// as it is in the trailers of some clients.
func (r *Reader) line() (string, error) {
	line, err := r.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return "", s3error.ErrInvalidRequest.With("A chunk header or trailer is too long")
	}
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(string(line[:len(line)-1]), "\r"), nil
}
