package driver

import (
	"google.golang.org/grpc/codes"
)

// IsFinal reports whether the same call would always fail: see the important return
// codes of each call in the KEP. A deletion or a revocation is never given up:
// something would be left in the backend that is not wanted any more.
func IsFinal(method string, code codes.Code) bool {
	if method == deleteBucket || method == revokeBucketAccess {
		return false
	}
	switch code {
	case codes.InvalidArgument, codes.AlreadyExists, codes.Unimplemented:
		return true
	case codes.OutOfRange:
		return method == generateBucketAccessID || method == grantBucketAccess
	default:
		return false
	}
}
