package conformance_test

import (
	"context"
	"slices"
	"strings"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/cosi-emu/cosi-emu/conformance"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// The values of enums.
const (
	protocolS3    = cosiv1alpha2.ObjectProtocol_S3
	protocolAzure = cosiv1alpha2.ObjectProtocol_AZURE
	protocolGCS   = cosiv1alpha2.ObjectProtocol_GCS
	withKey       = cosiv1alpha2.AuthenticationType_KEY
	withAccount   = cosiv1alpha2.AuthenticationType_SERVICE_ACCOUNT
	anyMode       = cosiv1alpha2.AccessMode_ANY
	readWrite     = cosiv1alpha2.AccessMode_READ_WRITE
	readOnly      = cosiv1alpha2.AccessMode_READ_ONLY
	writeOnly     = cosiv1alpha2.AccessMode_WRITE_ONLY
)

// onRequest changes requests of a type before the driver gets them.
func onRequest[T any](change func(*T)) func(*sync.Map) behaviour {
	return always(func(_ context.Context, r any, next call) (any, error) {
		if m, ok := r.(*T); ok {
			change(m)
		}
		return next(r)
	})
}

// onResponse changes responses of a type.
func onResponse[T any](change func(*T)) func(*sync.Map) behaviour {
	return always(func(_ context.Context, r any, next call) (any, error) {
		response, err := next(r)
		if m, ok := response.(*T); ok && err == nil {
			change(m)
		}
		return response, err
	})
}

// onError changes errors with a code, of requests of a type.
func onError[T any](code codes.Code, change func(*T, error) error) func(*sync.Map) behaviour {
	return always(func(_ context.Context, r any, next call) (any, error) {
		response, err := next(r)
		if m, ok := r.(*T); ok && status.Code(err) == code {
			return nil, change(m, err)
		}
		return response, err
	})
}

// accept answers requests of a type that a condition holds for, without the driver.
func accept[T any](response any, holds func(*T) bool) func(*sync.Map) behaviour {
	return always(func(_ context.Context, r any, next call) (any, error) {
		if m, ok := r.(*T); ok && holds(m) {
			return response, nil
		}
		return next(r)
	})
}

// reject fails requests of a type that a condition holds for.
func reject[T any](code codes.Code, message string, holds func(*T) bool) func(*sync.Map) behaviour {
	return always(func(_ context.Context, r any, next call) (any, error) {
		if m, ok := r.(*T); ok && holds(m) {
			return nil, failed(code, message)
		}
		return next(r)
	})
}

// s3Bucket returns a driver's response for a bucket of S3.
func s3Bucket() *created {
	return &created{Protocols: &bucketInfo{S3: &cosiv1alpha2.S3BucketInfo{}}}
}

// isOdd returns whether a text has characters outside of ASCII.
func isOdd(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r > 127 })
}

// hasOdd returns whether a parameter is odd.
func hasOdd(parameters map[string]string) bool {
	for _, value := range parameters {
		if isOdd(value) {
			return true
		}
	}
	return false
}

// clone returns a copy of a message.
func clone[T proto.Message](m T) T {
	return proto.Clone(m).(T) //nolint:forcetypeassert // it is
}

// eachBucket changes the buckets of a request.
func eachBucket(m *grant, change func(*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket)) {
	for _, b := range m.GetBuckets() {
		change(b)
	}
}

// isFor returns whether a request is for a protocol.
func isFor(m interface {
	GetProtocol() *cosiv1alpha2.ObjectProtocol
}, p cosiv1alpha2.ObjectProtocol_Type) bool {
	return m.GetProtocol().GetType() == p
}

// elsewhere are the classes and checks that have no mutant here, and what shows them instead.
var elsewhere = map[string]string{
	"D22": "TestProcessMutants",
}

// shownElsewhere returns whether another test has the mutants of a check: TestProcessMutants,
// TestBackendMutants, TestLongEndToEndMutants and, for checks of earlier dialects alone,
// TestDialectMistakes.
func shownElsewhere(c conformance.Check) bool {
	return c.ID == "GE-08" || slices.Contains([]string{"CS", "LG", "BE", "EE"}, c.ID[:2])
}
