package s3rules

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxTagKey    = 128
	maxTagValue  = 256
	reservedTags = "aws:"
)

// Tags returns a violation of the section "Tag restrictions" of the S3 User Guide, apart from the
// number of tags; nil without one.
func Tags(tags map[string]string) *Violation {
	for key, value := range tags {
		switch {
		case !IsTagKey(key):
			return violation(fmt.Sprintf("tag key %.150q", key),
				fmt.Sprintf("it must have 1 to %d letters, digits, spaces and characters of _.:/=+-@", maxTagKey))
		case IsReservedTagKey(key):
			return violation(fmt.Sprintf("tag key %q", key), fmt.Sprintf("the prefix %s is reserved", reservedTags))
		case !IsTagValue(value):
			return violation(fmt.Sprintf("value %.300q of tag %q", value, key),
				fmt.Sprintf("it must have at most %d letters, digits, spaces and characters of _.:/=+-@", maxTagValue))
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
