package s3exchange

import (
	"net/http"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// The headers of an object's lock, in requests and in responses.
const (
	lockModeHeader  = "X-Amz-Object-Lock-Mode"
	lockUntilHeader = "X-Amz-Object-Lock-Retain-Until-Date"
	lockHoldHeader  = "X-Amz-Object-Lock-Legal-Hold"
)

// maxYear is the last year in RFC 3339, and so in documents and records.
const maxYear = 9999

var errNoObjectLock = s3error.ErrInvalidRequest.With("Bucket is missing Object Lock Configuration")

// NeedsLock returns an error for a bucket without object lock.
func (x *Exchange) NeedsLock() error {
	if !x.Contents.ObjectLock().Enabled {
		return errNoObjectLock
	}
	return nil
}

// lockOfHeader reads the lock of a new object; nil if the client selects none.
func (x *Exchange) lockOfHeader() (*objects.Lock, error) {
	header := x.R.Header
	mode, until, hold := header.Get(lockModeHeader), header.Get(lockUntilHeader), header.Get(lockHoldHeader)
	if mode == "" && until == "" && hold == "" {
		return nil, nil
	}
	lock := &objects.Lock{LegalHold: objects.LegalHold(hold)}
	switch {
	case hold != "" && !IsHold(lock.LegalHold):
		return nil, s3error.ErrInvalidArgument.With("Legal Hold must be either of 'ON' or 'OFF'").
			About("ArgumentName", strings.ToLower(lockHoldHeader)).About("ArgumentValue", hold)
	case (mode == "") != (until == ""):
		return nil, s3error.ErrInvalidArgument.With("x-amz-object-lock-retain-until-date and x-amz-object-lock-mode must both be supplied").
			About("ArgumentName", missing(mode))
	case mode != "" && !objects.LockMode(mode).IsValid():
		return nil, s3error.ErrInvalidArgument.With("Unknown wormMode directive.").
			About("ArgumentName", strings.ToLower(lockModeHeader)).About("ArgumentValue", mode)
	case mode != "":
		var err error
		if lock.Retention, err = ParseRetention(mode, until, x.Now()); err != nil {
			return nil, err
		}
	}
	return lock, x.NeedsLock()
}

// missing returns the header that a retention lacks.
func missing(mode string) string {
	if mode == "" {
		return strings.ToLower(lockModeHeader)
	}
	return strings.ToLower(lockUntilHeader)
}

// IsHold reports whether a legal hold is ON or OFF.
func IsHold(hold objects.LegalHold) bool { return hold == objects.HoldOn || hold == objects.HoldOff }

// ParseRetention returns a retention whose mode is valid.
func ParseRetention(mode, until string, now time.Time) (objects.Retention, error) {
	end, err := time.Parse(time.RFC3339, until)
	switch {
	case err != nil:
		return objects.Retention{}, s3error.ErrInvalidArgument.With("The retain until date must be provided in ISO 8601 format")
	case end.UTC().Year() > maxYear:
		return objects.Retention{}, s3error.ErrInvalidArgument.With("The retain until date must be before the year 10000, in UTC")
	case !end.After(now):
		return objects.Retention{}, s3error.ErrInvalidArgument.With("The retain until date must be in the future!")
	}
	return objects.Retention{Mode: objects.LockMode(mode), Until: end.UTC().Truncate(time.Millisecond)}, nil
}

// CheckDigest rejects an upload of content to be locked if the client sends no digest of it. The
// digest in its signature does not count.
func (x *Exchange) CheckDigest(lock *objects.Lock, what string) error {
	if lock == nil && x.Contents.ObjectLock().Default.Mode == "" {
		return nil
	}
	if x.HasDigest() {
		return nil
	}
	return s3error.ErrInvalidRequest.With("Content-MD5 OR x-amz-checksum- HTTP header is required for " + what +
		" requests with Object Lock parameters")
}

// HasDigest reports whether the client sends a digest of the body, other than the one in its signature.
func (x *Exchange) HasDigest() bool {
	header := x.R.Header
	if header.Get("Content-Md5") != "" {
		return true
	}
	for name := range header {
		if checksum.IsHeader(name) {
			return true
		}
	}
	if !strings.HasSuffix(header.Get("X-Amz-Content-Sha256"), "-TRAILER") {
		return false // nothing follows the body, whatever is announced
	}
	for name := range strings.SplitSeq(header.Get("X-Amz-Trailer"), ",") {
		if checksum.IsHeader(http.CanonicalHeaderKey(strings.TrimSpace(name))) {
			return true
		}
	}
	return false
}

// CheckBypass rejects the header of the bypass for a bucket without object lock. S3 accepts it in DeleteObjects.
func (x *Exchange) CheckBypass() error {
	if x.R.Header.Get(bypassHeader) == "" || x.Contents.ObjectLock().Enabled {
		return nil
	}
	return s3error.ErrInvalidArgument.With(strings.ToLower(bypassHeader)+" is only applicable to Object Lock enabled buckets.").
		About("ArgumentName", strings.ToLower(bypassHeader))
}

const bypassHeader = "X-Amz-Bypass-Governance-Retention" //nolint:gosec // the name of a header

// Bypass returns which locks the request may ignore. Without the permission, the header has no
// effect.
func (x *Exchange) Bypass() objects.Bypass {
	switch {
	case !strings.EqualFold(x.R.Header.Get(bypassHeader), "true"):
		return objects.BypassNothing
	case x.Caller.Account().Admin:
		return objects.BypassAll
	case x.MayBypassGovernance:
		return objects.BypassGovernance
	}
	return objects.BypassNothing
}

// tellLock sets the headers of the lock of the version.
func (x *Exchange) tellLock() {
	lock, header := x.Version.Attributes.Lock, x.W.Header()
	if lock == nil {
		return
	}
	if lock.Retention.Mode != "" {
		header.Set(lockModeHeader, string(lock.Retention.Mode))
		header.Set(lockUntilHeader, lock.Retention.Until.Format(Timestamp))
	}
	if lock.LegalHold != "" {
		header.Set(lockHoldHeader, string(lock.LegalHold))
	}
}

// Timestamp is the form of times in documents and in the headers of locks.
const Timestamp = "2006-01-02T15:04:05.000Z"
