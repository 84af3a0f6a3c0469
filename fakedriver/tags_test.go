package fakedriver_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

func TestValidateTags(t *testing.T) {
	many := map[string]string{}
	for i := range 50 {
		many[fmt.Sprint(i)] = ""
	}
	tooMany := maps.Clone(many)
	tooMany["one more"] = ""
	tests := map[string]struct {
		reason string
		tags   map[string]string
		valid  bool
	}{
		"None":      {reason: "Tags are not required.", valid: true},
		"Plain":     {reason: "The common case.", tags: map[string]string{"team": "photos", "cost centre": "a_b.c:d/e=f+g-h@i 7"}, valid: true},
		"Letters":   {reason: "Of any language.", tags: map[string]string{"größe": "大"}, valid: true},
		"Fifty":     {reason: "The most.", tags: many, valid: true},
		"FiftyOne":  {reason: "One more.", tags: tooMany},
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
			err := fakedriver.ValidateTags(tc.tags)
			if (err == nil) != tc.valid || (err != nil && !errors.Is(err, fakedriver.ErrInvalid)) {
				t.Errorf("%s\nValidateTags() = %v, want valid: %t", tc.reason, err, tc.valid)
			}
		})
	}
}
