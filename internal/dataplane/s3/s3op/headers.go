package s3op

import (
	"net/http"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
)

// conditional are the headers that make an operation depend on stored data.
var conditional = []string{
	"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since",
}

// harmless are X-Amz- headers that every operation allows: the store supports them, or they do not
// change the result.
var harmless = []string{
	"X-Amz-Acl", "X-Amz-Checksum-Algorithm", "X-Amz-Checksum-Mode", "X-Amz-Checksum-Type",
	"X-Amz-Content-Sha256", "X-Amz-Date", "X-Amz-Decoded-Content-Length", "X-Amz-Expected-Bucket-Owner", "X-Amz-Mp-Object-Size",
	"X-Amz-Request-Payer", "X-Amz-Sdk-Checksum-Algorithm", "X-Amz-Security-Token", "X-Amz-Storage-Class", "X-Amz-Trailer", "X-Amz-User-Agent",
}

// checkHeaders rejects unsupported headers that would change the operation: encryption
// keys, locks, tags, conditions.
func checkHeaders(op Operation, header http.Header) error {
	for _, name := range conditional {
		if header.Get(name) != "" && !slices.Contains(op.Conditions, name) {
			return s3error.ErrNotImplemented.With("The header " + name + " is not implemented for " + op.Name)
		}
	}
	for name := range header {
		if strings.HasPrefix(name, "X-Amz-Grant-") {
			return s3error.ErrAccessControlListNotSupported
		}
		if strings.HasPrefix(name, "X-Amz-") && !known(op, name) {
			return s3error.ErrNotImplemented.With("The header " + strings.ToLower(name) + " implies functionality that is not implemented")
		}
	}
	if err := checkWriteConditions(op, header); err != nil {
		return err
	}
	return checkValues(header)
}

// checkWriteConditions rejects the forms of conditions that S3 has for reading only.
func checkWriteConditions(op Operation, header http.Header) error {
	absent := header.Get("If-None-Match")
	switch {
	case !op.Mutates() || absent == "":
		return nil
	case absent != "*":
		return s3error.ErrNotImplemented.With("The header If-None-Match is implemented for writing with the value * only").
			About("Header", "If-None-Match")
	case header.Get("If-Match") != "":
		return s3error.ErrNotImplemented.With("If-Match and If-None-Match in one request are not implemented for writing").
			About("Header", "If-None-Match")
	}
	return nil
}

func known(op Operation, name string) bool {
	if strings.HasPrefix(name, "X-Amz-Meta-") || slices.Contains(harmless, name) {
		return true
	}
	if op.CopySource && (name == "X-Amz-Copy-Source" || name == "X-Amz-Source-Expected-Bucket-Owner") {
		return true
	}
	return slices.Contains(op.Headers, name) || checksum.IsHeader(name)
}

// supported are the values of headers that request the default. Any other value would have to be
// ignored.
var supported = map[string][]string{
	"X-Amz-Bucket-Object-Lock-Enabled": {"true", "false"},
	"X-Amz-Object-Ownership":           {"BucketOwnerEnforced"},
	"X-Amz-Optional-Object-Attributes": {"RestoreStatus"}, // nothing is restored, so no object has one
	"X-Amz-Server-Side-Encryption":     {"AES256"},
}

// readable are the storage classes whose objects can be read at once, and archives the others,
// whose objects must be restored first.
var (
	readable = []string{"", "STANDARD", "REDUCED_REDUNDANCY", "STANDARD_IA", "ONEZONE_IA", "INTELLIGENT_TIERING", "GLACIER_IR"}
	archives = []string{"GLACIER", "DEEP_ARCHIVE"}
)

// unchanging are the canned ACLs that grant nothing to others, and opening all others.
var (
	unchanging = []string{"private", "bucket-owner-full-control"}
	opening    = []string{"public-read", "public-read-write", "authenticated-read", "aws-exec-read", "bucket-owner-read", "log-delivery-write"}
)

func checkValues(header http.Header) error {
	for name, values := range supported {
		if value := header.Get(name); value != "" && !slices.Contains(values, value) {
			return s3error.ErrNotImplemented.With("The header " + strings.ToLower(name) + " is implemented with the value " +
				strings.Join(values, " or ") + " only")
		}
	}
	switch acl := header.Get("X-Amz-Acl"); {
	case acl == "", slices.Contains(unchanging, acl):
	case slices.Contains(opening, acl):
		return s3error.ErrAccessControlListNotSupported
	default:
		return s3error.ErrInvalidArgument.With("S3 has no canned ACL of this name").
			About("ArgumentName", "x-amz-acl").About("ArgumentValue", acl)
	}
	switch class := header.Get("X-Amz-Storage-Class"); {
	case slices.Contains(archives, class):
		return s3error.ErrNotImplemented.With("The storage class " + class + " is not implemented: nothing is archived and restored")
	case !slices.Contains(readable, class):
		return s3error.ErrInvalidStorageClass
	}
	return nil
}
