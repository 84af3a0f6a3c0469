package azure

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/failure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/tagcondition"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// conditions are the conditions of RFC 9110 that Azure supports.
type conditions struct {
	match, noneMatch               string
	modifiedSince, unmodifiedSince time.Time
}

func conditionsOf(header http.Header, prefix string) (c conditions, err error) {
	c.match, c.noneMatch = header.Get(prefix+"If-Match"), header.Get(prefix+"If-None-Match")
	for name, into := range map[string]*time.Time{"If-Modified-Since": &c.modifiedSince, "If-Unmodified-Since": &c.unmodifiedSince} {
		if text := header.Get(prefix + name); text != "" {
			if *into, err = http.ParseTime(text); err != nil {
				return c, failure.ErrInvalidHeader.Because("The value of " + prefix + name + " must be a time of HTTP.")
			}
		}
	}
	return c, nil
}

// forWrite returns the effective conditions of a write, and of the source of a copy: an ETag
// replaces the time of the same kind, and one kind is allowed.
func forWrite(c conditions, err error) (conditions, error) {
	if err != nil {
		return c, err
	}
	if c.match != "" {
		c.unmodifiedSince = time.Time{}
	}
	if c.noneMatch != "" {
		c.modifiedSince = time.Time{}
	}
	if strings.Contains(c.match+c.noneMatch, ",") {
		return c, failure.ErrConditions // a write takes one ETag
	}
	if (c.match != "" || !c.unmodifiedSince.IsZero()) && (c.noneMatch != "" || !c.modifiedSince.IsZero()) {
		return c, failure.ErrConditions
	}
	return c, nil
}

// hold reports whether the blob, which may be nil, meets the required conditions (ok), and whether
// it is new to the client (fresh): one of the two conditions for that is enough.
func (c conditions) hold(b *blob) (ok, fresh bool) {
	if b == nil {
		return c.match == "", true
	}
	ok = (c.match == "" || b.matches(c.match)) && (c.unmodifiedSince.IsZero() || !b.lastModified().After(c.unmodifiedSince))
	other := c.noneMatch != "" && !b.matches(c.noneMatch)
	newer := !c.modifiedSince.IsZero() && b.lastModified().After(c.modifiedSince)
	return ok, other || newer || c.noneMatch == "" && c.modifiedSince.IsZero()
}

func (b *blob) matches(list string) bool {
	return objects.MatchesETag(list, strings.Trim(b.etag(), `"`))
}

// checkRead checks the conditions and the lease of a request that reads a blob.
func (s *Service) checkRead(x *exchange, b *blob) error {
	c, err := conditionsOf(x.R.Header, "")
	if err != nil {
		return err
	}
	if err := x.checkTagCondition(b); err != nil {
		return err
	}
	ok, fresh := c.hold(b)
	switch {
	case !ok:
		return failure.ErrCondition
	case !fresh:
		x.describe(b)
		return failure.ErrNotModified
	}
	if x.lease != "" {
		return b.Lease.allows(x.lease, s.now())
	}
	return nil
}

// checkWrite checks the conditions and the lease of a request that changes a blob, which
// may be nil.
func (s *Service) checkWrite(x *exchange, b *blob) error {
	if err := x.checkConditions(b); err != nil {
		return err
	}
	if b == nil {
		if x.lease != "" {
			return failure.ErrLeaseNotPresent
		}
		return nil
	}
	return b.Lease.allows(x.lease, s.now())
}

// checkReplace is checkWrite for a request that changes the content of a blob, which may be nil.
func (s *Service) checkReplace(x *exchange, b *blob) error {
	if err := s.checkWrite(x, b); err != nil {
		return err
	}
	if b != nil && slices.Contains(creating, x.operation.name) && !permits(x.Query, "w") {
		return failure.ErrOverwrite // the permission to create is only for a new blob
	}
	return b.checkOnline()
}

// creating are the operations that create a blob.
var creating = []string{"PutBlob", "PutBlobFromURL", "PutBlockList", "CopyBlob", "CopyBlobFromURL"}

func (x *exchange) checkConditions(b *blob) error {
	c, err := forWrite(conditionsOf(x.R.Header, ""))
	if err != nil {
		return err
	}
	if c.noneMatch == "*" && !slices.Contains(creating, x.operation.name) {
		c.noneMatch = "" // Azure compares it only where a blob is created
	}
	ok, fresh := c.hold(b)
	switch {
	case ok && fresh:
		return x.checkTagCondition(b)
	case ok && c.noneMatch == "*":
		return failure.ErrExists
	default:
		return failure.ErrCondition
	}
}

// checkTagCondition checks the condition on the tags of a blob, which may be nil.
func (x *exchange) checkTagCondition(b *blob) error {
	text := x.header(ifTagsHeader)
	if text == "" {
		return nil
	}
	condition, err := tagcondition.Parse(text)
	if err != nil {
		return err
	}
	if b == nil || !condition.Holds(b.Attributes.Tags) {
		return failure.ErrCondition
	}
	return nil
}
