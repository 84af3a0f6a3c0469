// Package checksum verifies the checksums that S3 clients send with their
// uploads, in headers or in trailers named X-Amz-Checksum-<algorithm>.
package checksum

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // an algorithm of the protocol, not a protection
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"net/http"
	"strings"

	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/s3error"
)

const prefix = "X-Amz-Checksum-"

// nvme is the polynomial of CRC-64/NVME, in the reversed form that hash/crc64
// takes.
const nvme = 0x9a6c9329ac4bc9b5

var algorithms = map[string]func() hash.Hash{
	prefix + "Crc32":     func() hash.Hash { return crc32.NewIEEE() },
	prefix + "Crc32c":    func() hash.Hash { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) },
	prefix + "Crc64nvme": func() hash.Hash { return crc64.New(crc64.MakeTable(nvme)) },
	prefix + "Sha1":      sha1.New,
	prefix + "Sha256":    sha256.New,
}

// IsHeader reports whether a header, in canonical form, holds a checksum of an
// algorithm that Verify knows.
func IsHeader(name string) bool {
	_, ok := algorithms[name]
	return ok
}

// Verify compares every checksum among the headers with that of the data. The
// error is an *s3error.Error: BadDigest, InvalidDigest for a value that is none,
// or InvalidRequest for an algorithm that is not known.
func Verify(header http.Header, data []byte) error {
	for name, values := range header {
		algorithm := strings.TrimPrefix(name, prefix)
		if algorithm == name || algorithm == "Algorithm" || algorithm == "Mode" || algorithm == "Type" {
			continue
		}
		if err := verify(name, values[0], data); err != nil {
			return err
		}
	}
	return nil
}

func verify(name, value string, data []byte) error {
	create, ok := algorithms[name]
	if !ok {
		return s3error.ErrInvalidRequest.With("The checksum " + strings.ToLower(name) + " is of an unknown algorithm")
	}
	digest := create()
	want, err := base64.StdEncoding.DecodeString(value)
	if err != nil || len(want) != digest.Size() {
		return s3error.ErrInvalidDigest.With("Value for " + strings.ToLower(name) + " header is invalid.")
	}
	digest.Write(data)
	if !bytes.Equal(digest.Sum(nil), want) {
		return s3error.ErrBadDigest.With("The value of " + strings.ToLower(name) + " did not match the calculated checksum.")
	}
	return nil
}
