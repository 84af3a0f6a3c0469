package objects

import (
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/s3error"
)

// Conditions are those of RFC 9110, section 13, that S3 supports. The zero value
// always holds.
type Conditions struct {
	// IfMatch and IfNoneMatch are lists of ETags, or "*".
	IfMatch, IfNoneMatch string
	// IfModifiedSince and IfUnmodifiedSince have whole seconds; zero means no condition.
	IfModifiedSince, IfUnmodifiedSince time.Time
}

// Read returns PreconditionFailed or NotModified if a condition for reading a version
// does not hold. As in S3, a matching ETag overrides a time that does not match.
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

// write returns an error if a condition for replacing or deleting a version does not
// hold: PreconditionFailed, or NoSuchKey if current is nil and must match.
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
