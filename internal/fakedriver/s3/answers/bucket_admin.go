package answers

import (
	"encoding/xml"
	"errors"
	"net/http"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/authorization"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/s3error"
)

// createBucketByS3 answers CreateBucket of an administrator's key, which is how
// there can be buckets that no driver has made.
func (a *Answers) createBucketByS3(x *exchange) error {
	region, err := locationConstraint(x.Body)
	if err != nil {
		return err
	}
	spec := fakedriver.BucketSpec{Name: x.Bucket, Owner: x.Caller.Account().Owner, Region: region}
	if err := spec.Validate(); err != nil {
		return s3error.ErrInvalidBucketName
	}
	existing, err := a.options.Administrator.CreateBucketBy(x.R.Context(), x.Caller, spec)
	switch {
	case errors.Is(err, authorization.ErrIdentity):
		return s3error.ErrInvalidAccessKeyID
	case errors.Is(err, fakedriver.ErrConflict):
		return alreadyExists(existing, spec.Owner)
	case err != nil:
		return err
	}
	x.W.Header().Set("Location", "/"+spec.Name)
	x.W.WriteHeader(http.StatusOK)
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
func (a *Answers) deleteBucketByS3(x *exchange) error {
	err := a.options.Administrator.DeleteBucketBy(x.R.Context(), x.Caller, x.Bucket)
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
