package payload

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/awschunked"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

// Kinds of streaming uploads in X-Amz-Content-Sha256.
const (
	streamSigned        = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
	streamSignedTrailer = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"
	streamTrailer       = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
)

// newStream parses the headers about a body in the encoding aws-chunked.
func newStream(r Request, kind string) (awschunked.Stream, error) {
	stream := awschunked.Stream{HasTrailer: kind != streamSigned}
	if kind != streamSigned && kind != streamSignedTrailer && kind != streamTrailer {
		return stream, s3error.ErrNotImplemented.With("The streaming upload " + kind + " is not implemented")
	}
	if r.Signature.Presigned {
		return stream, s3error.ErrInvalidRequest.With("A presigned request cannot be a streaming upload")
	}
	size, err := strconv.ParseInt(r.R.Header.Get("X-Amz-Decoded-Content-Length"), 10, 64)
	if err != nil || size < 0 {
		return stream, s3error.ErrMissingContentLength.With("You must provide the x-amz-decoded-content-length HTTP header")
	}
	stream.Size = size
	if stream.Trailers = announced(r.R.Header); !stream.HasTrailer && len(stream.Trailers) > 0 {
		return stream, s3error.ErrMalformedTrailer.With("The header x-amz-trailer announces what cannot follow a streaming upload of the kind " +
			kind)
	}
	if kind != streamTrailer {
		stream.Signer = awschunked.NewSigner(awschunked.Seed{
			Key: r.Signature.Key, Region: r.Signature.Region,
			Time: r.Signature.Time, Signature: r.Signature.Value,
		})
	}
	return stream, nil
}

func announced(header http.Header) []string {
	var names []string
	for _, line := range header.Values("X-Amz-Trailer") {
		for name := range strings.SplitSeq(line, ",") {
			if name = strings.TrimSpace(name); name != "" {
				names = append(names, http.CanonicalHeaderKey(name))
			}
		}
	}
	return names
}
