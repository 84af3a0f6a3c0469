package driver

import (
	"google.golang.org/grpc/codes"
)

// isFinal reports whether the same call would always fail. A deletion or a revocation is retried
// after every code. ALREADY_EXISTS may mean that the call succeeded early.
func isFinal(method string, code codes.Code) bool {
	return (method == createBucket || method == grantBucketAccess) && IsRejection(code)
}

// IsRejection reports whether a driver that returned the code to Create or Grant has certainly
// created nothing, and will not.
func IsRejection(code codes.Code) bool {
	return code == codes.InvalidArgument || code == codes.OutOfRange || code == codes.Unimplemented
}
