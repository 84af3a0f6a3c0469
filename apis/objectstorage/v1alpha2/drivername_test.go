package v1alpha2

import (
	"strings"
	"testing"
)

func TestCheckDriverName(t *testing.T) {
	tests := map[string]struct {
		reason string
		name   string
		want   bool
	}{
		"OneLabel":     {reason: "a name need not have dots", name: "a", want: true},
		"Longest":      {reason: "63 characters are allowed", name: strings.Repeat("a", 59) + ".abc", want: true},
		"TooLong":      {reason: "64 are not", name: strings.Repeat("a", 60) + ".abc"},
		"Empty":        {reason: "it is how objects refer to the driver"},
		"Capitals":     {reason: "two names must not differ in letter case only", name: "S3.example.com"},
		"LeadingDash":  {reason: "RFC 1035", name: "-a"},
		"LeadingDigit": {reason: "RFC 1035", name: "3par.example.com"},
		"EmptyLabel":   {reason: "RFC 1035", name: "a..b"},
		"Slash":        {reason: "RFC 1035", name: "a/b"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if err := CheckDriverName(tc.name); (err == nil) != tc.want {
				t.Errorf("%s: error %v, want valid: %t", tc.reason, err, tc.want)
			}
		})
	}
}
