package checksum

import (
	"net/http"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

// Verifier computes the checksum of a body in transfer, and compares it with the client's. The zero
// value expects none.
type Verifier struct {
	digest *Digest
}

// ErrSeveral rejects a request with several checksums, because the choice would be ambiguous.
var ErrSeveral = s3error.ErrInvalidRequest.With("Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.")

var about = []string{HeaderPrefix + "Algorithm", HeaderPrefix + "Mode", HeaderPrefix + "Type"}

// NewVerifier returns a verifier of the checksum in a header or in announced trailers, by their
// canonical names. The error is InvalidRequest for an unknown algorithm, for several ones, and for
// a trailer without a checksum.
func NewVerifier(header http.Header, trailers []string) (*Verifier, error) {
	v := &Verifier{}
	for name := range header {
		if err := v.expect(name); err != nil {
			return nil, err
		}
	}
	for _, name := range trailers {
		if !IsHeader(name) {
			return nil, s3error.ErrInvalidRequest.With("The value specified in the x-amz-trailer header is not supported: " +
				strings.ToLower(name) + " holds no checksum that is known")
		}
		if err := v.expect(name); err != nil {
			return nil, err
		}
	}
	err := v.checkAlgorithm(header.Get("X-Amz-Sdk-Checksum-Algorithm"))
	return v, err
}

// checkAlgorithm compares the algorithm that an SDK declares, which may be empty, with the
// request's checksum.
func (v *Verifier) checkAlgorithm(name string) error {
	algorithm, known := ByName(name)
	switch {
	case name == "":
		return nil
	case v.digest == nil:
		return s3error.ErrInvalidRequest.With("x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or " +
			"x-amz-trailer headers were found.")
	case !known || algorithm != v.digest.algorithm:
		return s3error.ErrInvalidRequest.With("Value for x-amz-sdk-checksum-algorithm header is invalid.")
	}
	return nil
}

// Default computes a checksum if the client has sent none.
func (v *Verifier) Default(a Algorithm) {
	if v.digest == nil {
		v.digest = new(New(a))
	}
}

func (v *Verifier) expect(name string) error {
	suffix, ok := strings.CutPrefix(name, HeaderPrefix)
	if !ok || slices.Contains(about, name) {
		return nil
	}
	algorithm, ok := ByName(suffix)
	switch {
	case !ok:
		return s3error.ErrInvalidRequest.With("The checksum " + strings.ToLower(name) + " is of an unknown algorithm")
	case v.digest != nil:
		return ErrSeveral
	}
	v.digest = new(New(algorithm))
	return nil
}

func (v *Verifier) Write(data []byte) (int, error) {
	if v.digest == nil {
		return len(data), nil
	}
	return v.digest.Write(data)
}

// Check compares the written data with the checksum in a header, or in trailers. Errors are
// BadDigest, and InvalidRequest for a malformed value.
func (v *Verifier) Check(header http.Header) error {
	if v.digest == nil {
		return nil
	}
	name := v.digest.algorithm.Header()
	values := header[name]
	if len(values) == 0 {
		return nil
	}
	want, err := Parse(v.digest.algorithm, values[0])
	if err != nil || want.IsComposite() {
		return s3error.ErrInvalidRequest.With("Value for " + strings.ToLower(name) + " header is invalid.")
	}
	if want != v.digest.Checksum() {
		return s3error.ErrBadDigest.With("The " + v.digest.algorithm.String() + " you specified did not match the calculated checksum.")
	}
	return nil
}

// Sum returns the checksum of the written data; the zero value if none is expected.
func (v *Verifier) Sum() Sum {
	if v.digest == nil {
		return Sum{}
	}
	return v.digest.Checksum()
}
