package answers

import (
	"net/http"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
)

// sums are the elements with an object's or a part's checksum in documents.
type sums struct {
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

func (s *sums) field(algorithm checksum.Algorithm) *string {
	return map[checksum.Algorithm]*string{
		checksum.CRC32: &s.ChecksumCRC32, checksum.CRC32C: &s.ChecksumCRC32C, checksum.CRC64NVME: &s.ChecksumCRC64NVME,
		checksum.SHA1: &s.ChecksumSHA1, checksum.SHA256: &s.ChecksumSHA256,
		checksum.SHA512: &s.ChecksumSHA512, checksum.MD5: &s.ChecksumMD5, checksum.XXHASH64: &s.ChecksumXXHASH64,
		checksum.XXHASH3: &s.ChecksumXXHASH3, checksum.XXHASH128: &s.ChecksumXXHASH128,
	}[algorithm]
}

func sumsOf(sum checksum.Sum) sums {
	var s sums
	if !sum.IsZero() {
		*s.field(sum.Algorithm) = sum.String()
	}
	return s
}

// typeOfSum is the element ChecksumType; empty if there is no checksum.
func typeOfSum(sum checksum.Sum) string {
	if sum.IsZero() {
		return ""
	}
	return sum.Type()
}

// sum returns the checksum in a document, which may have at most one.
func (s *sums) sum() (checksum.Sum, error) {
	for _, algorithm := range checksum.All() {
		text := *s.field(algorithm)
		if text == "" {
			continue
		}
		sum, err := checksum.Parse(algorithm, text)
		if err != nil {
			return checksum.Sum{}, s3error.ErrInvalidRequest.With("Value for the checksum of a part is invalid.")
		}
		return sum, nil
	}
	return checksum.Sum{}, nil
}

// checksumType reads the type of checksum that the client requests or expects, in any case; empty
// for any.
func checksumType(header http.Header) (string, error) {
	switch kind := strings.ToUpper(header.Get("X-Amz-Checksum-Type")); kind {
	case "", checksum.Composite, checksum.FullObject:
		return kind, nil
	}
	return "", s3error.ErrInvalidRequest.With("Value for x-amz-checksum-type header is invalid.")
}
