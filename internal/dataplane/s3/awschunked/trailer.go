package awschunked

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

const signatureTrailer = "X-Amz-Trailer-Signature"

// readTrailers reads the section after the last chunk: the announced headers, for signed kinds a
// signature over them, and an empty line.
func (r *Reader) readTrailers() (http.Header, error) {
	found := http.Header{}
	if !r.stream.HasTrailer {
		return found, r.end()
	}
	var canonical bytes.Buffer
	signature := ""
	for range maxTrailer {
		line, err := r.line()
		if errors.Is(err, io.EOF) {
			return found, r.check(found, canonical.Bytes(), signature)
		}
		if err != nil {
			return nil, err
		}
		if line == "" {
			continue // some clients put one before the signature
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, s3error.ErrMalformedTrailer
		}
		key := http.CanonicalHeaderKey(strings.TrimSpace(name))
		switch {
		case key == signatureTrailer:
			signature = strings.TrimSpace(value)
		case !slices.Contains(r.stream.Trailers, key) || found.Get(key) != "":
			return nil, s3error.ErrMalformedTrailer
		default:
			found.Set(key, strings.TrimSpace(value))
			canonical.WriteString(strings.ToLower(key) + ":" + strings.TrimSpace(value) + "\n")
		}
	}
	return nil, s3error.ErrMalformedTrailer
}

func (r *Reader) check(found http.Header, canonical []byte, signature string) error {
	if len(found) != len(r.stream.Trailers) {
		return s3error.ErrMalformedTrailer
	}
	if r.stream.Signer != nil && !r.stream.Signer.Trailer(canonical, signature) {
		return s3error.ErrSignatureDoesNotMatch
	}
	return nil
}

// end checks that only one empty line follows the last chunk.
func (r *Reader) end() error {
	line, err := r.line()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := r.in.ReadByte(); line != "" || err == nil {
		return s3error.ErrInvalidRequest.With("Data follows the last chunk")
	}
	return nil
}
