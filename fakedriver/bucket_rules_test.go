package fakedriver_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

func TestValidateBucketName(t *testing.T) {
	for name, valid := range map[string]bool{
		"bc-6c0d7a3e-0c7b-4b58-9f0b-0d3c8b6c2f11": true, "a.b.c": true, "abc": true, strings.Repeat("a", 63): true,
		"": false, "ab": false, strings.Repeat("a", 64): false, "-abc": false, "abc-": false, "a..b": false, "a.-b": false,
		"192.168.0.1": false, "xn--abc": false, "abc-s3alias": false, "Abc": false, "a_b": false, "../etc": false, "a/b": false, "a\nb": false,
	} {
		if err := fakedriver.ValidateBucketName(name); (err == nil) != valid || (err != nil && !errors.Is(err, fakedriver.ErrInvalid)) {
			t.Errorf("ValidateBucketName(%q) = %v, want valid: %t", name, err, valid)
		}
	}
}
