package awschunked

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

// Reader returns the data of a stream without the framing. The data is valid only after Read has
// returned io.EOF, when the lengths, the trailers and all signatures are verified. Any other error
// is permanent; it is an *s3error.Error, or an error of reading the stream.
type Reader struct {
	stream Stream
	in     *bufio.Reader

	left     int64        // remaining bytes of the current chunk, without a Signer
	verified bytes.Buffer // the current chunk, with a Signer
	seen     int64        // sum of the sizes of all chunks so far
	short    bool         // the current chunk must be the last with data
	trailers http.Header
	err      error
}

// NewReader returns a Reader of a stream. It uses memory for received bytes only, and for at most
// one signed chunk.
func NewReader(in io.Reader, stream Stream) *Reader {
	return &Reader{stream: stream, in: bufio.NewReaderSize(in, maxLine)}
}

// Trailers returns the trailers after Read has returned io.EOF, and nil before.
func (r *Reader) Trailers() http.Header { return r.trailers }

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

// advance reads the header of the next chunk. It returns io.EOF when the whole stream is read and
// verified.
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

// incomplete returns the error for a stream that ends too early.
func incomplete(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return s3error.ErrIncompleteBody
	}
	return err
}

// line reads a line. Some clients send no carriage return in trailers.
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
