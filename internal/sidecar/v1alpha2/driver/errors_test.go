package driver

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
)

func TestTerminal(t *testing.T) {
	callError := func(method string, code codes.Code) error {
		return fmt.Errorf("wrapped: %w", connection.NewCallError(method, status.Error(code, "no"), IsFinal))
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
		"InvalidResponse": {fmt.Errorf("wrapped: %w", connection.Invalid(createBucket, "odd")), true},
		"Other":           {errors.New("other"), false},
		"None":            {nil, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := connection.IsTerminal(tc.err); got != tc.want {
				t.Errorf("Terminal(%v) = %t", tc.err, got)
			}
		})
	}
}

// TestOrDialect: the bridge can serve a driver that lacks a call which only the KEP has.
func TestOrDialect(t *testing.T) {
	for code, want := range map[codes.Code]bool{codes.Unimplemented: true, codes.InvalidArgument: false} {
		err := orDialect(connection.NewCallError(generateBucketID, status.Error(code, "no"), IsFinal))
		if got := strings.Contains(err.Error(), "--state-dir"); got != want || !connection.IsTerminal(err) {
			t.Errorf("%s: error %v, terminal: %t", code, err, connection.IsTerminal(err))
		}
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
			if err != nil && !connection.IsTerminal(err) {
				t.Errorf("%v is not terminal", err)
			}
		})
	}
}
