package fakedriver

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
)

const (
	readableLength = 27
	hashLength     = 32
	hashMark       = "-h"
)

var (
	derivedID  = regexp.MustCompile(`-h[0-9a-f]{32}$`)
	unreadable = regexp.MustCompile(`[^a-z0-9]+`)
)

// bucketID derives the ID of a bucket, which is also its name in S3, from the name that COSI gives
// it. It is the name itself wherever S3 allows that; otherwise a readable prefix and a hash of the
// whole name, so that long names with a common prefix stay apart. Names that have this form are
// hashed, too.
func bucketID(name string) string {
	if ValidateBucketName(name) == nil && !derivedID.MatchString(name) {
		return name
	}
	readable := unreadable.ReplaceAllString(strings.ToLower(name), "-")
	readable = strings.Trim(readable[:min(len(readable), readableLength)], "-")
	digest := sha256.Sum256([]byte(name))
	id := readable + hashMark + hex.EncodeToString(digest[:])[:hashLength]
	if ValidateBucketName(id) != nil {
		id = "b-" + id // S3 reserves some prefixes
	}
	return id
}

// accountID derives the ID of an account from the name that COSI gives it: both have the same
// alphabet, and IDs may be longer.
func accountID(name string) string { return name }
