package fakedriver

import (
	"fmt"
	"regexp"
)

const maxRegion = 63

var regionName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)

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

// ValidateRegion returns an error of kind [ErrInvalid] for an invalid region name: it is a part of
// signatures and URLs.
func ValidateRegion(region string) error {
	if len(region) > maxRegion || !regionName.MatchString(region) {
		return fmt.Errorf("region %.100q %w: it must have 1 to %d characters of a-z, 0-9 and '-', "+
			"and begin and end with a letter or digit", region, ErrInvalid, maxRegion)
	}
	return nil
}
