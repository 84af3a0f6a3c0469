package s3rules

import (
	"strings"
	"testing"
)

func TestTags(t *testing.T) {
	tests := map[string]struct {
		reason string
		tags   map[string]string
		valid  bool
	}{
		"None":      {reason: "Tags are not required.", valid: true},
		"Plain":     {reason: "The common case.", tags: map[string]string{"team": "photos", "cost centre": "a_b.c:d/e=f+g-h@i 7"}, valid: true},
		"Letters":   {reason: "Of any language.", tags: map[string]string{"größe": "大"}, valid: true},
		"LongKey":   {reason: "Characters, not bytes.", tags: map[string]string{strings.Repeat("ä", 128): strings.Repeat("ä", 256)}, valid: true},
		"KeyTooBig": {reason: "One more.", tags: map[string]string{strings.Repeat("a", 129): ""}},
		"TooBig":    {reason: "One more than 256.", tags: map[string]string{"a": strings.Repeat("a", 257)}},
		"NoKey":     {reason: "Nothing to find it by.", tags: map[string]string{"": "a"}},
		"Reserved":  {reason: "Amazon's own.", tags: map[string]string{"AWS:a": "b"}},
		"Comma":     {reason: "Not among the characters.", tags: map[string]string{"a": "b,c"}},
		"Newline":   {reason: "Not a space.", tags: map[string]string{"a": "b\n"}},
		"NotUTF8":   {reason: "Not text.", tags: map[string]string{"a": "\xff"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if found := Tags(tc.tags); (found == nil) != tc.valid {
				t.Errorf("%s\nTags() = %v, want valid: %t", tc.reason, found, tc.valid)
			}
		})
	}
}

func TestBucketName(t *testing.T) {
	for name, valid := range map[string]bool{
		"bc-6c0d7a3e-0c7b-4b58-9f0b-0d3c8b6c2f11": true, "a.b.c": true, "abc": true, strings.Repeat("a", 63): true,
		"": false, "ab": false, strings.Repeat("a", 64): false, "-abc": false, "abc-": false, "a..b": false, "a.-b": false,
		"192.168.0.1": false, "xn--abc": false, "abc-s3alias": false, "Abc": false, "a_b": false, "../etc": false, "a/b": false, "a\nb": false,
	} {
		if found := BucketName(name); (found == nil) != valid {
			t.Errorf("BucketName(%q) = %v, want valid: %t", name, found, valid)
		}
	}
}
