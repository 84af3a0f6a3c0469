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
	if err := x.NeedsLock(); err != nil {
		return nil, err
	}
	lock := &objects.Lock{LegalHold: objects.LegalHold(hold)}
	switch {
	case hold != "" && !IsHold(lock.LegalHold):
		return nil, s3error.ErrInvalidArgument.With("Legal Hold must be either of 'ON' or 'OFF'")
	case (mode == "") != (until == ""):
		return nil, s3error.ErrInvalidArgument.With("x-amz-object-lock-retain-until-date and x-amz-object-lock-mode must both be supplied")
	case mode != "" && !objects.LockMode(mode).IsValid():
		return nil, s3error.ErrInvalidArgument.With("Unknown wormMode directive.")
	case mode == "":
		return lock, nil
	}
	var err error
	lock.Retention, err = ParseRetention(mode, until, x.Now())
	return lock, err
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
	if hasDigest(x.R.Header) {
		return nil
	}
	return s3error.ErrInvalidRequest.With("Content-MD5 OR x-amz-checksum- HTTP header is required for " + what +
		" requests with Object Lock parameters")
}

func hasDigest(header http.Header) bool {
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

// NeedsDigest rejects a document without a digest, as S3 does for documents about locks.
func (x *Exchange) NeedsDigest() error {
	if hasDigest(x.R.Header) {
		return nil
	}
	return s3error.ErrInvalidRequest.With("Missing required header for this request: Content-MD5 OR x-amz-checksum-*")
}

// Bypass returns which locks the request may ignore. Without the permission, the header has no
// effect: clients send it with any deletion.
func (x *Exchange) Bypass() objects.Bypass {
	switch {
	case !strings.EqualFold(x.R.Header.Get("X-Amz-Bypass-Governance-Retention"), "true"):
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
