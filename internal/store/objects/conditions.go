package objects

import (
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

// Conditions are the conditions of RFC 9110, section 13, that S3 supports. The zero value always
// holds.
type Conditions struct {
	// IfMatch and IfNoneMatch are lists of ETags, or "*".
	IfMatch, IfNoneMatch string
	// IfModifiedSince and IfUnmodifiedSince have whole seconds; zero means no condition.
	IfModifiedSince, IfUnmodifiedSince time.Time
	// Generation and Metageneration are conditions of Google Cloud Storage.
	Generation, Metageneration NumberCondition
}

// NumberCondition compares a number of the current version, 0 without one. Nil means no condition.
type NumberCondition struct{ Match, NotMatch *int64 }

// check returns whether the number meets its condition, and whether it differs from the client's.
func (c NumberCondition) check(number int64) (ok, fresh bool) {
	return c.Match == nil || *c.Match == number, c.NotMatch == nil || *c.NotMatch != number
}

// checkNumbers is check for both numbers of v, which may be nil.
func (c Conditions) checkNumbers(v *Version) (ok, fresh bool) {
	var generation, metageneration int64
	if v.isLive() {
		generation, metageneration = v.Generation(), v.Metageneration()
	}
	okGeneration, freshGeneration := c.Generation.check(generation)
	okMeta, freshMeta := c.Metageneration.check(metageneration)
	return okGeneration && okMeta, freshGeneration && freshMeta
}

// ReadNumbers returns PreconditionFailed or NotModified if a condition on the numbers of v does
// not hold. v may be nil.
func (c Conditions) ReadNumbers(v *Version) error {
	switch ok, fresh := c.checkNumbers(v); {
	case !ok:
		return s3error.ErrPreconditionFailed
	case !fresh:
		return s3error.ErrNotModified
	}
	return nil
}

// Read returns PreconditionFailed or NotModified if a condition for reading a version does not
// hold. As in S3, a matching ETag overrides a time that does not match.
func (c Conditions) Read(v *Version) error {
	if err := c.ReadNumbers(v); err != nil {
		return err
	}
	etag, modified := v.ETag.String(), v.Modified().Truncate(time.Second)
	switch {
	case c.IfMatch != "" && !MatchesETag(c.IfMatch, etag):
		return s3error.ErrPreconditionFailed
	case c.IfMatch == "" && !c.IfUnmodifiedSince.IsZero() && modified.After(c.IfUnmodifiedSince):
		return s3error.ErrPreconditionFailed
	case c.IfNoneMatch != "" && MatchesETag(c.IfNoneMatch, etag):
		return s3error.ErrNotModified
	case c.IfNoneMatch == "" && !c.IfModifiedSince.IsZero() && !modified.After(c.IfModifiedSince):
		return s3error.ErrNotModified
	}
	return nil
}

// write returns an error if a condition for replacing or deleting a version does not hold:
// PreconditionFailed, or NoSuchKey if current is nil and must match.
func (c Conditions) write(current *Version) error {
	exists := current.isLive()
	ok, fresh := c.checkNumbers(current)
	switch {
	case !ok || !fresh:
		return s3error.ErrPreconditionFailed
	case c.IfNoneMatch != "" && exists && MatchesETag(c.IfNoneMatch, current.ETag.String()):
		return s3error.ErrPreconditionFailed
	case c.IfMatch != "" && !exists:
		return s3error.ErrNoSuchKey
	case c.IfMatch != "" && !MatchesETag(c.IfMatch, current.ETag.String()):
		return s3error.ErrPreconditionFailed
	}
	return nil
}

// MatchesETag reports whether a list of ETags, or "*", has an ETag, which has no quotes.
func MatchesETag(list, etag string) bool {
	for candidate := range strings.SplitSeq(list, ",") {
		candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/")
		if candidate == "*" || strings.Trim(candidate, `"`) == etag {
			return true
		}
	}
	return false
}
