package answers

import (
	"encoding/xml"
	"errors"
	"net/http"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// createBucketByS3 answers CreateBucket with an administrator's key, for buckets that no driver has
// created, and with an application's key for its own bucket.
func (a *Answers) createBucketByS3(x *s3exchange.Exchange) error {
	if !x.Caller.Account().Admin {
		return a.createAgain(x)
	}
	region, err := locationConstraint(x.Body)
	if err != nil {
		return err
	}
	spec := fakedriver.BucketSpec{Name: x.Bucket, Owner: x.Caller.Account().Owner, Region: region,
		ObjectLock: x.R.Header.Get("X-Amz-Bucket-Object-Lock-Enabled") == "true"}
	if err := spec.Validate(); err != nil {
		return s3error.ErrInvalidBucketName
	}
	existing, err := a.store.CreateBucketBy(x.R.Context(), x.Caller, spec)
	switch {
	case errors.Is(err, authorization.ErrIdentity):
		return s3error.ErrInvalidAccessKeyID
	case errors.Is(err, fakedriver.ErrConflict):
		if existing.Owner != spec.Owner {
			return s3error.ErrBucketAlreadyExists
		}
		return a.createAgain(x)
	case err != nil:
		return err
	}
	tellCreated(x)
	return nil
}

func tellCreated(x *s3exchange.Exchange) {
	x.W.Header().Set("Location", "/"+x.Bucket)
	x.W.WriteHeader(http.StatusOK)
}

// createAgain answers CreateBucket for an existing bucket of the caller. In its first region, S3
// answers as if it had created the bucket.
func (a *Answers) createAgain(x *s3exchange.Exchange) error {
	if a.RegionOf(x.Bucket) != firstRegion {
		return s3error.ErrBucketAlreadyOwnedByYou
	}
	tellCreated(x)
	return nil
}

// locationConstraint reads the body of CreateBucket, which may be empty.
func locationConstraint(body []byte) (string, error) {
	if len(body) == 0 {
		return "", nil
	}
	var document struct {
		XMLName            xml.Name  `xml:"CreateBucketConfiguration"`
		LocationConstraint string    `xml:"LocationConstraint"`
		Location           *struct{} `xml:"Location"`
		Bucket             *struct{} `xml:"Bucket"`
		Tags               *struct{} `xml:"Tags"`
	}
	if err := xml.Unmarshal(body, &document); err != nil {
		return "", s3error.ErrMalformedXML
	}
	if document.Location != nil || document.Bucket != nil || document.Tags != nil {
		return "", s3error.ErrNotImplemented.With("Of CreateBucketConfiguration only LocationConstraint is implemented")
	}
	if region := document.LocationConstraint; region != "" && fakedriver.ValidateRegion(region) != nil {
		return "", s3error.ErrInvalidLocationConstraint
	}
	return document.LocationConstraint, nil
}

// deleteBucketByS3 answers DeleteBucket with an administrator's key. Only the driver may delete its
// own buckets, because COSI would not notice.
func (a *Answers) deleteBucketByS3(x *s3exchange.Exchange) error {
	err := a.store.DeleteBucketBy(x.R.Context(), x.Caller, x.Bucket)
	switch {
	case errors.Is(err, authorization.ErrIdentity):
		return s3error.ErrInvalidAccessKeyID
	case errors.Is(err, fakedriver.ErrConflict):
		return s3error.ErrAccessDenied.With("The bucket was made by a driver, for a BucketClaim; delete that")
	case errors.Is(err, fakedriver.ErrNotEmpty):
		return s3error.ErrBucketNotEmpty
	case errors.Is(err, fakedriver.ErrNotExist):
		return s3error.ErrNoSuchBucket
	case err != nil:
		return err
	}
	x.W.WriteHeader(http.StatusNoContent)
	return nil
}
