package objects

import (
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/s3error"
)

// Conditions are those of RFC 9110, section 13, as far as S3 has them. The zero
// value always holds.
type Conditions struct {
	// IfMatch and IfNoneMatch are lists of ETags, or "*".
	IfMatch, IfNoneMatch string
	// IfModifiedSince and IfUnmodifiedSince have whole seconds; zero is none.
	IfModifiedSince, IfUnmodifiedSince time.Time
}

// Read returns PreconditionFailed or NotModified if a version is not to be read.
// An ETag that matches overrides a time that does not, as in S3.
func (c Conditions) Read(v *Version) error {
	etag, modified := v.ETag.String(), v.Modified().Truncate(time.Second)
	switch {
	case c.IfMatch != "" && !matches(c.IfMatch, etag):
		return s3error.ErrPreconditionFailed
	case c.IfMatch == "" && !c.IfUnmodifiedSince.IsZero() && modified.After(c.IfUnmodifiedSince):
		return s3error.ErrPreconditionFailed
	case c.IfNoneMatch != "" && matches(c.IfNoneMatch, etag):
		return s3error.ErrNotModified
	case c.IfNoneMatch == "" && !c.IfModifiedSince.IsZero() && !modified.After(c.IfModifiedSince):
		return s3error.ErrNotModified
	}
	return nil
}

// write returns an error if a version, which may be nil, is not to be replaced or
// deleted: PreconditionFailed, or NoSuchKey if there is none to match.
func (c Conditions) write(current *Version) error {
	exists := current != nil && !current.IsDeleteMarker
	switch {
	case c.IfNoneMatch != "" && exists && matches(c.IfNoneMatch, current.ETag.String()):
		return s3error.ErrPreconditionFailed
	case c.IfMatch != "" && !exists:
		return s3error.ErrNoSuchKey
	case c.IfMatch != "" && !matches(c.IfMatch, current.ETag.String()):
		return s3error.ErrPreconditionFailed
	}
	return nil
}

func matches(list, etag string) bool {
	for candidate := range strings.SplitSeq(list, ",") {
		candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/")
		if candidate == "*" || strings.Trim(candidate, `"`) == etag {
			return true
		}
	}
	return false
}
