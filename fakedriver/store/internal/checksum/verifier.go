package checksum

import (
	"net/http"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/s3error"
)

// Verifier computes the checksums of a body as it passes, and compares them with
// what the client says they are.
type Verifier struct {
	digests []Digest
}

// about are the headers with the prefix that say something about a checksum and
// hold none.
var about = []string{HeaderPrefix + "Algorithm", HeaderPrefix + "Mode", HeaderPrefix + "Type"}

// NewVerifier returns a verifier of the checksums in a header and in the trailers
// that are announced, by their canonical names. The error is InvalidRequest for an
// algorithm that is not known: what cannot be checked is refused.
func NewVerifier(header http.Header, trailers []string) (*Verifier, error) {
	v := &Verifier{}
	for name := range header {
		if err := v.expect(name); err != nil {
			return nil, err
		}
	}
	for _, name := range trailers {
		if err := v.expect(name); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func (v *Verifier) expect(name string) error {
	suffix, ok := strings.CutPrefix(name, HeaderPrefix)
	if !ok || slices.Contains(about, name) {
		return nil
	}
	algorithm, ok := ByName(suffix)
	if !ok {
		return s3error.ErrInvalidRequest.With("The checksum " + strings.ToLower(name) + " is of an unknown algorithm")
	}
	v.Add(algorithm)
	return nil
}

// Add has a further algorithm computed, if it is not already.
func (v *Verifier) Add(algorithm Algorithm) {
	if algorithm != None && !slices.ContainsFunc(v.digests, func(d Digest) bool { return d.algorithm == algorithm }) {
		v.digests = append(v.digests, New(algorithm))
	}
}

// Write implements io.Writer. It returns no error.
func (v *Verifier) Write(data []byte) (int, error) {
	for _, d := range v.digests {
		d.Write(data)
	}
	return len(data), nil
}

// Check compares what has been written with the checksums in a header, or in
// trailers. Errors are BadDigest, and InvalidDigest for a value that is none.
func (v *Verifier) Check(header http.Header) error {
	for _, d := range v.digests {
		name := d.algorithm.Header()
		values := header[name]
		if len(values) == 0 {
			continue
		}
		want, err := Parse(d.algorithm, values[0])
		if err != nil || want.IsComposite() {
			return s3error.ErrInvalidDigest.With("Value for " + strings.ToLower(name) + " header is invalid.")
		}
		if want != d.Checksum() {
			return s3error.ErrBadDigest.With("The value of " + strings.ToLower(name) + " did not match the calculated checksum.")
		}
	}
	return nil
}

// Sum returns a checksum of what has been written: of the algorithm, or for None
// of the first that is computed; the zero value if there is none such.
func (v *Verifier) Sum(algorithm Algorithm) Sum {
	for _, d := range v.digests {
		if algorithm == None || algorithm == d.algorithm {
			return d.Checksum()
		}
	}
	return Sum{}
}
