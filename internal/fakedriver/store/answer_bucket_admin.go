package store

import (
	"encoding/xml"
	"errors"
	"net/http"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/s3error"
)

// createBucketByS3 answers CreateBucket of an administrator's key, which is how
// there can be buckets that no driver has made.
func (s *Store) createBucketByS3(x *exchange) error {
	region, err := locationConstraint(x.body)
	if err != nil {
		return err
	}
	spec := fakedriver.BucketSpec{Name: x.bucket, Owner: x.principal.account.Owner, Region: region}
	if err := spec.Validate(); err != nil {
		return s3error.ErrInvalidBucketName
	}
	err = s.administer(x.r.Context(), func() error {
		// No account is deleted or rotated while this runs.
		if !s.registry.isLive(x.identity) {
			return s3error.ErrInvalidAccessKeyID
		}
		if existing, ok := s.registry.bucket(spec.Name); ok {
			return alreadyExists(existing, spec.Owner)
		}
		_, err := s.createBucket(spec)
		return err
	})
	if err != nil {
		return err
	}
	x.w.Header().Set("Location", "/"+spec.Name)
	x.w.WriteHeader(http.StatusOK)
	return nil
}

func alreadyExists(b fakedriver.Bucket, owner string) error {
	if b.Owner == owner {
		return s3error.ErrBucketAlreadyOwnedByYou
	}
	return s3error.ErrBucketAlreadyExists
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

// deleteBucketByS3 answers DeleteBucket of an administrator's key. What a driver
// has made is the driver's to delete: COSI would still believe in it.
func (s *Store) deleteBucketByS3(x *exchange) error {
	err := s.administer(x.r.Context(), func() error {
		if !s.registry.isLive(x.identity) {
			return s3error.ErrInvalidAccessKeyID
		}
		return s.deleteBucket(x.principal.account.Owner, x.bucket)
	})
	switch {
	case errors.Is(err, fakedriver.ErrConflict):
		return s3error.ErrAccessDenied.With("The bucket was made by a driver, for a BucketClaim; delete that")
	case errors.Is(err, fakedriver.ErrNotEmpty):
		return s3error.ErrBucketNotEmpty
	case errors.Is(err, fakedriver.ErrNotExist):
		return s3error.ErrNoSuchBucket
	case err != nil:
		return err
	}
	x.w.WriteHeader(http.StatusNoContent)
	return nil
}
