package fakedriver

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxBucketTags is the maximum number of tags of a bucket.
const MaxBucketTags = 50

const (
	maxTagKey    = 128
	maxTagValue  = 256
	reservedTags = "aws:"
)

// ValidateTags returns an error of kind [ErrInvalid] for tags that violate the section "Tag
// restrictions" of the S3 User Guide.
func ValidateTags(tags map[string]string) error {
	if len(tags) > MaxBucketTags {
		return fmt.Errorf("set of %d tags %w: a bucket has at most %d", len(tags), ErrInvalid, MaxBucketTags)
	}
	for key, value := range tags {
		switch {
		case !IsTagKey(key):
			return fmt.Errorf("tag key %.150q %w: it must have 1 to %d letters, digits, spaces and characters of _.:/=+-@",
				key, ErrInvalid, maxTagKey)
		case IsReservedTagKey(key):
			return fmt.Errorf("tag key %q %w: the prefix %s is reserved", key, ErrInvalid, reservedTags)
		case !IsTagValue(value):
			return fmt.Errorf("value %.300q of tag %q %w: it must have at most %d letters, digits, spaces and characters of _.:/=+-@",
				value, key, ErrInvalid, maxTagValue)
		}
	}
	return nil
}

// IsTagKey reports whether a key is valid for tags of buckets and objects.
func IsTagKey(key string) bool { return key != "" && isTagText(key, maxTagKey) }

// IsTagValue reports whether a value is valid for tags of buckets and objects.
func IsTagValue(value string) bool { return isTagText(value, maxTagValue) }

// IsReservedTagKey reports whether S3 reserves a tag key.
func IsReservedTagKey(key string) bool {
	return strings.HasPrefix(strings.ToLower(key), reservedTags)
}

func isTagText(text string, limit int) bool {
	return utf8.RuneCountInString(text) <= limit && utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.Is(unicode.Zs, r) && !strings.ContainsRune("_.:/=+-@", r)
	})
}
