// Package checksum has the checksums that S3 clients send with their uploads, in headers or in
// trailers named X-Amz-Checksum-<algorithm>, and expect with their downloads.
package checksum

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

// Sum is a checksum, or none as its zero value. Sums can be compared.
type Sum struct {
	Algorithm Algorithm
	// parts is the number of parts' checksums in a composite checksum.
	parts int32
	value string // the bytes
}

// IsZero reports whether there is no checksum.
func (s Sum) IsZero() bool { return s.Algorithm == None }

// IsComposite reports whether it is a checksum of the checksums of parts.
func (s Sum) IsComposite() bool { return s.parts > 0 }

// String returns the checksum as in headers: base64, and the number of parts of a composite one.
func (s Sum) String() string {
	text := base64.StdEncoding.EncodeToString([]byte(s.value))
	if s.parts > 0 {
		text += "-" + strconv.Itoa(int(s.parts))
	}
	return text
}

// WithoutParts returns a composite checksum without the number of parts, as in GetObjectAttributes,
// and any other unchanged.
func (s Sum) WithoutParts() Sum {
	s.parts = 0
	return s
}

// Type returns S3's name for the type of the checksum.
func (s Sum) Type() string {
	if s.IsComposite() {
		return Composite
	}
	return FullObject
}

// The types of checksums, in S3's words.
const (
	Composite  = "COMPOSITE"
	FullObject = "FULL_OBJECT"
)

// Parse reads the form of String.
func Parse(algorithm Algorithm, text string) (Sum, error) {
	sum := Sum{Algorithm: algorithm}
	encoded, count, composite := strings.Cut(text, "-")
	if composite {
		parts, err := strconv.ParseInt(count, 10, 32)
		if err != nil || parts < 1 {
			return Sum{}, fmt.Errorf("%q is not a number of parts", count)
		}
		sum.parts = int32(parts)
	}
	value, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(value) != algorithm.size() || len(value) == 0 {
		return Sum{}, fmt.Errorf("%q is not a checksum of %s", text, algorithm)
	}
	sum.value = string(value)
	return sum, nil
}

// MarshalText implements encoding.TextMarshaler.
func (s Sum) MarshalText() ([]byte, error) {
	if s.IsZero() {
		return nil, nil
	}
	return []byte(s.Algorithm.String() + ":" + s.String()), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Sum) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*s = Sum{}
		return nil
	}
	name, value, _ := strings.Cut(string(text), ":")
	algorithm, ok := ByName(name)
	if !ok {
		return fmt.Errorf("%q is not a checksum", text)
	}
	var err error
	*s, err = Parse(algorithm, value)
	return err
}
