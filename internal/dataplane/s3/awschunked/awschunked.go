// Package awschunked decodes the content encoding "aws-chunked". S3 clients use it to sign an
// upload in chunks, or to append checksums that they know only at the end. gofakes3 ignores the
// signatures, and stores the framing of two of the three kinds as data.
package awschunked

// Limits on the memory for one request: lines, signed chunks, and trailers. Chunks without a
// signature are streamed, and aws-sdk-go-v2 sends a whole object as one.
const (
	maxLine    = 4 << 10
	maxChunk   = 16 << 20
	maxTrailer = 16
)

// minChunk is the minimum size of a chunk that is not the last, in bytes.
const minChunk = 8 << 10

// Signer verifies the signatures of chunks and trailers. Each covers the previous one. Kinds
// without signatures have no Signer.
type Signer interface {
	// Chunk reports whether the signature of the next chunk is correct.
	Chunk(data []byte, signature string) bool
	// Trailer reports whether the signature of the trailer is correct. The trailer has
	// lines "name:value\n".
	Trailer(canonical []byte, signature string) bool
}

// Stream describes the framing of an upload.
type Stream struct {
	// Signer is nil for a kind without signatures.
	Signer Signer
	// Trailers are the announced trailers in canonical form; nil for a kind without
	// trailers.
	Trailers []string
	// HasTrailer reports whether a trailer section follows the last chunk.
	HasTrailer bool
	// Size is the declared number of bytes of data.
	Size int64
}
