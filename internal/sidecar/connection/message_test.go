package connection

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPresentable(t *testing.T) {
	tests := map[string]struct {
		reason  string
		message string
		want    string
	}{
		"Plain":     {reason: "a good message stays", message: "quota exceeded", want: "quota exceeded"},
		"Empty":     {reason: "users should not see nothing", want: "no message"},
		"Lines":     {reason: "a condition is one line", message: " a\n\tb\x00c ", want: "a b c"},
		"SignedURL": {reason: "a signature is a secret", message: "GET https://s3/b?X-Amz-Signature=abc: 403", want: "GET https://s3/b?... 403"},
		"Password":  {reason: "so is a password", message: "dial http://user:pass@host/x", want: "dial http://host/x"},
		"BadUTF8":   {reason: "the API server takes no other", message: "a\xffb", want: "a\uFFFDb"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := sanitize(tc.message); got != tc.want {
				t.Errorf("%s: %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
	long := sanitize(strings.Repeat("ü", 4<<20))
	if len(long) > maxMessageLength || !utf8.ValidString(long) {
		t.Errorf("a long message has %d bytes, valid: %t", len(long), utf8.ValidString(long))
	}
}
