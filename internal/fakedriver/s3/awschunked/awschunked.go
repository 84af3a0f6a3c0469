// Package awschunked reads uploads in the content encoding "aws-chunked", in
// which S3 clients wrap data to sign it piece by piece, or to append checksums
// that they know only at the end. It exists because gofakes3 ignores the
// signatures, and stores the framing of two of the three kinds as data.
package awschunked

// Limits on what a client may make a reader hold: lines, the chunks that are
// signed, and trailers. Chunks without a signature are passed on as they come, and
// aws-sdk-go-v2 sends the whole object as one.
const (
	maxLine    = 4 << 10
	maxChunk   = 16 << 20
	maxTrailer = 16
)

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
