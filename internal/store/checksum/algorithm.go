package checksum

import (
	"crypto/md5"  //nolint:gosec // an algorithm of the protocol, not a protection
	"crypto/sha1" //nolint:gosec // see above
	"crypto/sha256"
	"crypto/sha512"
	"hash"
	"hash/crc32"
	"io"
	"net/http"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/minio/crc64nvme"
	"github.com/zeebo/xxh3"
)

// Algorithm is one of S3's.
type Algorithm uint8

// The algorithms. Records contain the numbers, so new ones come last.
const (
	None Algorithm = iota
	CRC32
	CRC32C
	CRC64NVME
	SHA1
	SHA256
	SHA512
	MD5
	XXHASH64
	XXHASH3
	XXHASH128
)

// HeaderPrefix is the prefix of the headers of all algorithms.
const HeaderPrefix = "X-Amz-Checksum-"

// Default is the algorithm of objects whose client has selected none.
const Default = CRC64NVME

const (
	xxhash64Size  = 8
	xxhash128Size = 16
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var algorithms = [...]struct {
	name   string
	size   int
	create func() hash.Hash
}{
	None:      {"", 0, nil},
	CRC32:     {"CRC32", crc32.Size, func() hash.Hash { return crc32.NewIEEE() }},
	CRC32C:    {"CRC32C", crc32.Size, func() hash.Hash { return crc32.New(castagnoli) }},
	CRC64NVME: {"CRC64NVME", crc64nvme.Size, func() hash.Hash { return crc64nvme.New() }},
	SHA1:      {"SHA1", sha1.Size, sha1.New},
	SHA256:    {"SHA256", sha256.Size, sha256.New},
	SHA512:    {"SHA512", sha512.Size, sha512.New},
	MD5:       {"MD5", md5.Size, md5.New},
	XXHASH64:  {"XXHASH64", xxhash64Size, func() hash.Hash { return xxhash.New() }},
	XXHASH3:   {"XXHASH3", xxhash64Size, func() hash.Hash { return xxh3.New() }},
	XXHASH128: {"XXHASH128", xxhash128Size, func() hash.Hash { return xxh3.New128() }},
}

// All are the algorithms, in a fixed order.
func All() []Algorithm {
	return []Algorithm{CRC32, CRC32C, CRC64NVME, SHA1, SHA256, SHA512, MD5, XXHASH64, XXHASH3, XXHASH128}
}

// Names are the names of the algorithms, as errors list them.
func Names() string {
	names := make([]string, 0, len(algorithms))
	for _, a := range All() {
		names = append(names, a.String())
	}
	return strings.Join(names, ", ")
}

// String returns S3's name.
func (a Algorithm) String() string { return algorithms[a].name }

func (a Algorithm) size() int { return algorithms[a].size }

// Header returns the name of the header that holds a checksum of the algorithm, in
// canonical form.
func (a Algorithm) Header() string { return http.CanonicalHeaderKey(HeaderPrefix + a.String()) }

// CanBeFullObject reports whether the checksum of an upload in parts can cover its content. S3
// supports that for the CRCs only.
func (a Algorithm) CanBeFullObject() bool { return a == CRC32 || a == CRC32C || a == CRC64NVME }

// CanBeComposite reports whether the checksum of an upload in parts can cover the parts' checksums.
func (a Algorithm) CanBeComposite() bool { return a != None && a != CRC64NVME }

// ByName returns the algorithm with S3's name, in any case.
func ByName(name string) (Algorithm, bool) {
	for _, a := range All() {
		if strings.EqualFold(a.String(), name) {
			return a, true
		}
	}
	return None, false
}

// IsHeader reports whether a header, in canonical form, holds a checksum.
func IsHeader(name string) bool {
	suffix, ok := strings.CutPrefix(name, HeaderPrefix)
	if !ok {
		return false
	}
	_, known := ByName(suffix)
	return known
}

// Digest computes a checksum of the bytes that are written to it.
type Digest struct {
	hash.Hash

	algorithm Algorithm
}

// New returns a digest of an algorithm that is not None.
func New(a Algorithm) Digest { return Digest{algorithms[a].create(), a} }

// Checksum returns the checksum of the written bytes.
func (d Digest) Checksum() Sum {
	return Sum{Algorithm: d.algorithm, value: string(d.Sum(nil))}
}

// OfParts returns the composite checksum of an upload, from its parts' checksums.
func OfParts(a Algorithm, parts []Sum) Sum {
	digest := New(a)
	for _, part := range parts {
		_, _ = io.WriteString(digest, part.value) // a digest returns no error
	}
	sum := digest.Checksum()
	sum.parts = int32(len(parts)) //nolint:gosec // at most 10,000
	return sum
}
