package s3test

import (
	"crypto/md5"  //nolint:gosec // the algorithm of Content-MD5
	"crypto/sha1" //nolint:gosec // an algorithm of the protocol, not a protection
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"hash/crc32"
	"hash/crc64"

	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// Algorithms are S3's, from the standard library.
var Algorithms = map[types.ChecksumAlgorithm]func() hash.Hash{
	types.ChecksumAlgorithmCrc32:     func() hash.Hash { return crc32.NewIEEE() },
	types.ChecksumAlgorithmCrc32c:    func() hash.Hash { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) },
	types.ChecksumAlgorithmCrc64nvme: func() hash.Hash { return crc64.New(crc64.MakeTable(0x9a6c9329ac4bc9b5)) },
	types.ChecksumAlgorithmSha1:      sha1.New,
	types.ChecksumAlgorithmSha256:    sha256.New,
}

// RawChecksum returns the checksum of a content in bytes.
func RawChecksum(algorithm types.ChecksumAlgorithm, content string) []byte {
	h := Algorithms[algorithm]()
	h.Write([]byte(content))
	return h.Sum(nil)
}

// ChecksumOf returns the checksum of a content as headers and documents have it.
func ChecksumOf(algorithm types.ChecksumAlgorithm, content string) string {
	return base64.StdEncoding.EncodeToString(RawChecksum(algorithm, content))
}

// NoVersion is the ID of a version that no object has.
const NoVersion = "AAAAAAAAAAAAAAAAAAAAAAAAAA"

// MD5Of returns the value of Content-MD5 for a content.
func MD5Of(content string) string {
	digest := md5.Sum([]byte(content)) //nolint:gosec // see the import
	return base64.StdEncoding.EncodeToString(digest[:])
}
