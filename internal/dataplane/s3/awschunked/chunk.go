package awschunked

import (
	"io"
	"strconv"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

const chunkSignature = "chunk-signature="

// beginChunk reads a chunk's header and reports whether it is the last, which is empty. It also
// reads the data of a signed chunk, and verifies its signature.
func (r *Reader) beginChunk() (last bool, err error) {
	header, err := r.line()
	if err != nil {
		return false, err
	}
	size, signature, err := parseHeader(header)
	if err != nil {
		return false, err
	}
	if size > r.stream.Size-r.seen {
		return false, s3error.ErrIncompleteBody
	}
	if r.short && size > 0 {
		return false, s3error.ErrInvalidChunkSize
	}
	r.short = size < minChunk
	r.seen += size
	if r.stream.Signer == nil {
		r.left = size
		return size == 0, nil
	}
	if size > maxChunk {
		return false, s3error.ErrInvalidRequest.With("A signed chunk is larger than 16 MiB")
	}
	return size == 0, r.signedChunk(size, signature)
}

func (r *Reader) signedChunk(size int64, signature string) error {
	r.verified.Reset()
	// The buffer grows with the received data, not to the declared size.
	if _, err := io.CopyN(&r.verified, r.in, size); err != nil {
		return err
	}
	if !r.stream.Signer.Chunk(r.verified.Bytes(), signature) {
		return s3error.ErrSignatureDoesNotMatch
	}
	if size == 0 {
		return nil
	}
	return r.endChunk()
}

// endChunk reads the empty line after a chunk's data.
func (r *Reader) endChunk() error {
	line, err := r.line()
	if err == nil && line != "" {
		return s3error.ErrInvalidRequest.With("A chunk is longer than its header's size")
	}
	return err
}

func parseHeader(line string) (int64, string, error) {
	digits, extension, _ := strings.Cut(line, ";")
	size, err := strconv.ParseUint(digits, 16, 63)
	if err != nil {
		return 0, "", s3error.ErrInvalidRequest.With("A chunk header is malformed")
	}
	return int64(size), strings.TrimPrefix(extension, chunkSignature), nil
}
