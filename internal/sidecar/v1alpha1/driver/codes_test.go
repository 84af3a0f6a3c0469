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

// TestEveryCode has the final codes of each call. Every other code is retried, because its cause
// may end without COSI. No code ends a deletion or a revocation.
// Spec: A1-ERR-2, A1-CODE-3, A1-CODE-6, A1-CODE-7, A1-CALLS-4, A1-CODE-11, A1-CODE-12, A1-CODE-16
func TestEveryCode(t *testing.T) {
	rejections := map[codes.Code]bool{codes.InvalidArgument: true, codes.OutOfRange: true, codes.Unimplemented: true}
	for method, final := range map[string]map[codes.Code]bool{
		createBucket: rejections, grantBucketAccess: rejections, getInfo: nil, deleteBucket: nil, revokeBucketAccess: nil,
	} {
		for code := codes.Canceled; code <= firstUnknownCode; code++ {
			t.Run(method+"/"+code.String(), func(t *testing.T) {
				err := connection.NewCallError(method, status.Error(code, "no"), isFinal)
				if got := connection.IsTerminal(err); got != final[code] {
					t.Errorf("%s of %s is final: %t, want %t", code, method, got, final[code])
				}
			})
		}
	}
}
