package s3

import (
	"errors"
	"net/http"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// authorize allows an operation if the account's grant has one of the needed permissions. Copying
// also needs read access to the source.
func (s *Service) authorize(x *s3exchange.Exchange) error {
	if err := checkOwner(x); err != nil {
		return err
	}
	if x.Operation.Reserved {
		return authorizeReserved(x)
	}
	x.MayReadObjects = authorization.Allows(x.Grant, authorization.ReadObject)
	x.MayBypassGovernance = authorization.Allows(x.Grant, authorization.WriteData) &&
		authorization.Allows(x.Grant, authorization.WriteObjectMetadata)
	switch {
	case x.Missing:
		return s3error.ErrNoSuchBucket
	case x.Operation.Administrative && !x.Caller.Account().Admin:
		return s3error.ErrAccessDenied.With("The driver decides about this setting of the bucket, for the class of the BucketClaim")
	case !allows(x, x.Operation.Needs), !allows(x, x.Operation.AlsoNeeds):
		return s3error.ErrAccessDenied
	}
	if err := authorizeHeaders(x); err != nil {
		return err
	}
	if x.Operation.CopySource {
		return s.authorizeCopy(x)
	}
	return nil
}

// allows reports whether the grant has one of the permissions, if any are given.
func allows(x *s3exchange.Exchange, needs []authorization.Need) bool {
	return len(needs) == 0 || authorization.Allows(x.Grant, needs)
}

// authorizeHeaders allows headers that need more than their operation does.
func authorizeHeaders(x *s3exchange.Exchange) error {
	writesMetadata := authorization.Allows(x.Grant, authorization.WriteObjectMetadata)
	switch {
	case x.R.Header.Get("X-Amz-Tagging") != "" && !writesMetadata:
		return s3error.ErrAccessDenied.With("Tags are object metadata, which the key may not write")
	case locks(x.R.Header) && !writesMetadata:
		return s3error.ErrAccessDenied.With("Locks are object metadata, which the key may not write")
	case x.Operation.Mutates() && namesETag(x.R.Header) && !x.MayReadObjects:
		return s3error.ErrAccessDenied.With("A condition on an ETag discloses it, and the key may not read objects")
	}
	return nil
}

// locks reports whether an upload selects a retention or a legal hold.
func locks(header http.Header) bool {
	for name := range header {
		if strings.HasPrefix(name, "X-Amz-Object-Lock-") {
			return true
		}
	}
	return false
}

// namesETag reports whether a condition depends on more than the existence of an object.
func namesETag(header http.Header) bool {
	for _, name := range []string{"If-Match", "If-None-Match"} {
		if value := header.Get(name); value != "" && value != "*" {
			return true
		}
	}
	return false
}

// checkOwner compares the owner that the client expects with the account, which the store reports
// as owner.
func checkOwner(x *s3exchange.Exchange) error {
	for _, name := range []string{"X-Amz-Expected-Bucket-Owner", "X-Amz-Source-Expected-Bucket-Owner"} {
		if expected := x.R.Header.Get(name); expected != "" && expected != x.Caller.Account().ID {
			return s3error.ErrAccessDenied.With("The header " + strings.ToLower(name) + " is not the account of the key, which the " +
				"store reports as the owner of its buckets")
		}
	}
	return nil
}

// authorizeReserved handles the operations that create and delete buckets. Some clients always
// create their bucket first, and expect the response that it exists.
func authorizeReserved(x *s3exchange.Exchange) error {
	switch {
	case x.Caller.Account().Admin:
		return nil
	case x.Operation.Name == "CreateBucket" && !x.Missing:
		return nil // which answers that it exists
	}
	return s3error.ErrAccessDenied.With("Buckets are created and deleted by the driver, for a BucketClaim")
}

func (s *Service) authorizeCopy(x *s3exchange.Exchange) error {
	source, err := parseCopySource(x.R.Header.Get("X-Amz-Copy-Source"))
	if err != nil {
		return err
	}
	b, _ := s.options.Store.Registry().Bucket(source.Bucket)
	grant, err := x.Caller.Grant(x.Dialect.Protocol, source.Bucket)
	switch {
	case errors.Is(err, authorization.ErrDenied) || !authorization.Allows(grant, authorization.ReadData):
		return s3error.ErrAccessDenied
	case err != nil:
		return s3error.ErrNoSuchBucket
	}
	source.UID = b.UID
	x.Source = source
	return nil
}
