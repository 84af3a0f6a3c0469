package driver

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestTerminal(t *testing.T) {
	callError := func(method string, code codes.Code) error {
		return fmt.Errorf("wrapped: %w", newCallError(method, status.Error(code, "no")))
	}
	tests := map[string]struct {
		err  error
		want bool
	}{
		"InvalidArgument":    {callError(createBucket, codes.InvalidArgument), true},
		"AlreadyExists":      {callError(getBucket, codes.AlreadyExists), true},
		"Unimplemented":      {callError(grantBucketAccess, codes.Unimplemented), true},
		"UnimplementedEnd":   {callError(revokeBucketAccess, codes.Unimplemented), false},
		"OutOfRangeGenerate": {callError(generateBucketAccessID, codes.OutOfRange), true},
		"OutOfRangeGrant":    {callError(grantBucketAccess, codes.OutOfRange), true},
		"OutOfRangeCreate":   {callError(createBucket, codes.OutOfRange), false},
		"NotFound":           {callError(getBucket, codes.NotFound), false},
		"FailedPrecondition": {callError(deleteBucket, codes.FailedPrecondition), false},
		"PermissionDenied":   {callError(createBucket, codes.PermissionDenied), false},
		"Unknown":            {callError(createBucket, codes.Unknown), false},
		"DeadlineExceeded":   {callError(createBucket, codes.DeadlineExceeded), false},
		// KEP: RETRY-3
		"InvalidResponse": {fmt.Errorf("wrapped: %w", invalid(createBucket, "odd")), true},
		"Other":           {errors.New("other"), false},
		"None":            {nil, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := IsTerminal(tc.err); got != tc.want {
				t.Errorf("Terminal(%v) = %t", tc.err, got)
			}
		})
	}
}

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

// KEP: GRPC-GENERATEBUCKETID-9
func TestCheckID(t *testing.T) {
	tests := map[string]struct {
		id   string
		want bool
	}{
		"Typical":    {"bc-1234/a.b_C", true},
		"Longest":    {strings.Repeat("x", 2048), true},
		"TooLong":    {strings.Repeat("x", 2049), false},
		"Empty":      {"", false},
		"Space":      {"a b", false},
		"Newline":    {"a\n", false},
		"NonASCII":   {"ä", false},
		"Colon":      {"arn:aws", false},
		"NullByte":   {"a\x00", false},
		"Whitespace": {" ", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			err := checkID(generateBucketID, "bucket ID", tc.id)
			if got := err == nil; got != tc.want {
				t.Errorf("checkID: %v, want valid: %t", err, tc.want)
			}
			if err != nil && !IsTerminal(err) {
				t.Errorf("%v is not terminal", err)
			}
		})
	}
}
