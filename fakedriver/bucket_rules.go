package fakedriver

import (
	"errors"
	"fmt"

	"github.com/cosi-emu/cosi-emu/internal/s3rules"
)

// MaxBucketTags is the maximum number of tags of a bucket.
const MaxBucketTags = 50

// rejected returns the error of a violation, which may be nil.
func rejected(v *s3rules.Violation) error {
	if v == nil {
		return nil
	}
	return fmt.Errorf("%s %w: %s", v.Subject, ErrInvalid, v.Problem)
}

// Validate returns an error of kind [ErrInvalid] for a specification that no bucket can have.
func (s BucketSpec) Validate() error {
	if err := ValidateBucketName(s.Name); err != nil {
		return err
	}
	if err := validateLimits(s); err != nil {
		return fmt.Errorf("bucket %q: %w", s.Name, err)
	}
	if err := validateLock(s); err != nil {
		return fmt.Errorf("bucket %q: %w", s.Name, err)
	}
	if s.Region != "" {
		if err := ValidateRegion(s.Region); err != nil {
			return fmt.Errorf("bucket %q: %w", s.Name, err)
		}
	}
	if err := ValidateTags(s.Tags); err != nil {
		return fmt.Errorf("bucket %q: %w", s.Name, err)
	}
	return nil
}

func validateLimits(s BucketSpec) error {
	switch {
	case s.Quota.Bytes < 0 || s.Quota.Objects < 0:
		return fmt.Errorf("quota %w: it is negative", ErrInvalid)
	case s.Latency < 0:
		return fmt.Errorf("latency %w: it is negative", ErrInvalid)
	case s.MaxAccounts < 0:
		return fmt.Errorf("number of accounts %w: it is negative", ErrInvalid)
	}
	return nil
}

// ValidateBucketName returns an error of kind [ErrInvalid] if a name violates the naming rules for
// general purpose buckets in the S3 User Guide.
func ValidateBucketName(name string) error { return rejected(s3rules.BucketName(name)) }

// ValidateRegion returns an error of kind [ErrInvalid] for an invalid region name: it is a part of
// signatures and URLs.
func ValidateRegion(region string) error { return rejected(s3rules.Region(region)) }

// ValidateTags returns an error of kind [ErrInvalid] for tags that violate the section "Tag
// restrictions" of the S3 User Guide.
func ValidateTags(tags map[string]string) error {
	if len(tags) > MaxBucketTags {
		return fmt.Errorf("set of %d tags %w: a bucket has at most %d", len(tags), ErrInvalid, MaxBucketTags)
	}
	return rejected(s3rules.Tags(tags))
}

// IsTagKey reports whether a key is valid for tags of buckets and objects.
func IsTagKey(key string) bool { return s3rules.IsTagKey(key) }

// IsTagValue reports whether a value is valid for tags of buckets and objects.
func IsTagValue(value string) bool { return s3rules.IsTagValue(value) }

// IsReservedTagKey reports whether S3 reserves a tag key.
func IsReservedTagKey(key string) bool { return s3rules.IsReservedTagKey(key) }

// ValidateCORSOrigins returns an error of kind [ErrInvalid] if a text is not an origin of pages, as
// browsers send it, or a duplicate. An origin may contain one *, which matches any number of any
// characters; * alone matches all origins.
func ValidateCORSOrigins(origins []string) error {
	var failed []error
	for _, v := range s3rules.Origins(origins) {
		failed = append(failed, rejected(v))
	}
	return errors.Join(failed...)
}
