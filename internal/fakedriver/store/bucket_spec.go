package store

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxTags      = 50
	maxTagKey    = 128
	maxTagValue  = 256
	maxRegion    = 63
	reservedTags = "aws:"
)

var regionName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)

// validate returns an error of kind ErrInvalid if no bucket can be like this.
func (s BucketSpec) validate() error {
	if err := ValidateBucketName(s.Name); err != nil {
		return err
	}
	if err := validateLimits(s); err != nil {
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

// ValidateRegion returns an error of kind [ErrInvalid] if a region cannot have
// that name: it is part of what is signed, and of URLs.
func ValidateRegion(region string) error {
	if len(region) > maxRegion || !regionName.MatchString(region) {
		return fmt.Errorf("region %.100q %w: it must have 1 to %d characters of a-z, 0-9 and '-', "+
			"and begin and end with a letter or digit", region, ErrInvalid, maxRegion)
	}
	return nil
}

// ValidateTags returns an error of kind [ErrInvalid] if a bucket cannot have
// these tags, by the section "Tag restrictions" of the S3 User Guide.
func ValidateTags(tags map[string]string) error {
	if len(tags) > maxTags {
		return fmt.Errorf("set of %d tags %w: a bucket has at most %d", len(tags), ErrInvalid, maxTags)
	}
	for key, value := range tags {
		switch {
		case key == "" || utf8.RuneCountInString(key) > maxTagKey || !isTagText(key):
			return fmt.Errorf("tag key %.150q %w: it must have 1 to %d letters, digits, spaces and characters of _.:/=+-@",
				key, ErrInvalid, maxTagKey)
		case strings.HasPrefix(strings.ToLower(key), reservedTags):
			return fmt.Errorf("tag key %q %w: the prefix %s is reserved", key, ErrInvalid, reservedTags)
		case utf8.RuneCountInString(value) > maxTagValue || !isTagText(value):
			return fmt.Errorf("value %.300q of tag %q %w: it must have at most %d letters, digits, spaces and characters of _.:/=+-@",
				value, key, ErrInvalid, maxTagValue)
		}
	}
	return nil
}

func isTagText(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.Is(unicode.Zs, r) && !strings.ContainsRune("_.:/=+-@", r)
	})
}
