package s3access

import (
	"crypto/md5" //nolint:gosec // the algorithm of Content-MD5
	"encoding/base64"
)

// ContentMD5 returns the value of Content-MD5, which S3 requires for uploads to buckets with
// object lock. Unlike other checksums, all implementations of S3 support it.
func ContentMD5(content []byte) *string {
	sum := md5.Sum(content) //nolint:gosec // see the import
	return new(base64.StdEncoding.EncodeToString(sum[:]))
}
