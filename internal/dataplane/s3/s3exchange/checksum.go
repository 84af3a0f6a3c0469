package s3exchange

import (
	"net/http"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// Sums are the elements with an object's or a part's checksum in documents.
type Sums struct {
	ChecksumCRC32     string `xml:"ChecksumCRC32,omitempty"`
	ChecksumCRC32C    string `xml:"ChecksumCRC32C,omitempty"`
	ChecksumCRC64NVME string `xml:"ChecksumCRC64NVME,omitempty"`
	ChecksumSHA1      string `xml:"ChecksumSHA1,omitempty"`
	ChecksumSHA256    string `xml:"ChecksumSHA256,omitempty"`
	ChecksumSHA512    string `xml:"ChecksumSHA512,omitempty"`
	ChecksumMD5       string `xml:"ChecksumMD5,omitempty"`
	ChecksumXXHASH64  string `xml:"ChecksumXXHASH64,omitempty"`
	ChecksumXXHASH3   string `xml:"ChecksumXXHASH3,omitempty"`
	ChecksumXXHASH128 string `xml:"ChecksumXXHASH128,omitempty"`
}

func (s *Sums) field(algorithm checksum.Algorithm) *string {
	return map[checksum.Algorithm]*string{
		checksum.CRC32: &s.ChecksumCRC32, checksum.CRC32C: &s.ChecksumCRC32C, checksum.CRC64NVME: &s.ChecksumCRC64NVME,
		checksum.SHA1: &s.ChecksumSHA1, checksum.SHA256: &s.ChecksumSHA256,
		checksum.SHA512: &s.ChecksumSHA512, checksum.MD5: &s.ChecksumMD5, checksum.XXHASH64: &s.ChecksumXXHASH64,
		checksum.XXHASH3: &s.ChecksumXXHASH3, checksum.XXHASH128: &s.ChecksumXXHASH128,
	}[algorithm]
}

// SumsOf returns the elements with a checksum.
func SumsOf(sum checksum.Sum) Sums {
	var s Sums
	if !sum.IsZero() {
		*s.field(sum.Algorithm) = sum.String()
	}
	return s
}

// SumType returns the element ChecksumType; empty if there is no checksum.
func SumType(sum checksum.Sum) string {
	if sum.IsZero() {
		return ""
	}
	return sum.Type()
}

// Sum returns the checksum in a document, which may have at most one.
func (s *Sums) Sum() (checksum.Sum, error) {
	var found checksum.Sum
	for _, algorithm := range checksum.All() {
		text := *s.field(algorithm)
		if text == "" {
			continue
		}
		sum, err := checksum.Parse(algorithm, text)
		if err != nil || !found.IsZero() {
			return checksum.Sum{}, s3error.ErrInvalidArgument.With("A part must have one checksum at most, which is valid").
				About("ArgumentName", "Checksum"+algorithm.String()).About("ArgumentValue", text)
		}
		found = sum
	}
	return found, nil
}

// ChecksumType reads the type of checksum that the client requests or expects, in any case; empty
// for any.
func ChecksumType(header http.Header) (string, error) {
	switch kind := strings.ToUpper(header.Get("X-Amz-Checksum-Type")); kind {
	case "", checksum.Composite, checksum.FullObject:
		return kind, nil
	}
	return "", s3error.ErrInvalidRequest.With("Value for x-amz-checksum-type header is invalid.")
}

// UploadChecksumType returns the type of the checksum of an upload; empty if it has none.
func UploadChecksumType(u objects.Upload) string {
	switch {
	case u.Algorithm == checksum.None:
		return ""
	case u.FullObject:
		return checksum.FullObject
	default:
		return checksum.Composite
	}
}
