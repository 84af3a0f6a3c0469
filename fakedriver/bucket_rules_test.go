package fakedriver_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// TestRules: the errors of all rules are of one kind.
func TestRules(t *testing.T) {
	tags := map[string]string{}
	for i := range fakedriver.MaxBucketTags {
		tags[fmt.Sprint(i)] = ""
	}
	for name, err := range map[string]error{
		"BucketName": fakedriver.ValidateBucketName("a.b.c"), "Region": fakedriver.ValidateRegion("us-west-2"),
		"Tags": fakedriver.ValidateTags(tags), "CORSOrigins": fakedriver.ValidateCORSOrigins([]string{"*"}),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	tags["one more"] = ""
	for name, err := range map[string]error{
		"BucketName": fakedriver.ValidateBucketName("a..b"), "Region": fakedriver.ValidateRegion("US"),
		"Tag": fakedriver.ValidateTags(map[string]string{"": "a"}), "Tags": fakedriver.ValidateTags(tags),
		"CORSOrigins": fakedriver.ValidateCORSOrigins([]string{"*", "*"}),
	} {
		if !errors.Is(err, fakedriver.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
	}
}
