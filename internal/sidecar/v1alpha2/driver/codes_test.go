package driver

import (
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
)

// firstUnknownCode is the first number without a meaning in gRPC. A driver may send it, or any
// later one.
const firstUnknownCode = codes.Unauthenticated + 1

// TestEveryCode has the final codes of each call; every other code is retried. No code ends a
// deletion or a revocation.
func TestEveryCode(t *testing.T) {
	final := map[string]map[codes.Code]bool{}
	for _, method := range []string{
		generateBucketID, createBucket, getBucket, generateBucketAccessID, grantBucketAccess,
	} {
		final[method] = map[codes.Code]bool{codes.InvalidArgument: true, codes.AlreadyExists: true, codes.Unimplemented: true}
	}
	final[generateBucketAccessID][codes.OutOfRange] = true
	final[grantBucketAccess][codes.OutOfRange] = true
	final[deleteBucket], final[revokeBucketAccess] = nil, nil

	for method, terminal := range final {
		for code := codes.Canceled; code <= firstUnknownCode; code++ {
			t.Run(method+"/"+code.String(), func(t *testing.T) {
				if got := connection.IsTerminal(connection.NewCallError(method, status.Error(code, "no"), IsFinal)); got != terminal[code] {
					t.Errorf("%s of %s is final: %t, want %t", code, method, got, terminal[code])
				}
			})
		}
	}
}
