// Package port calls a driver of any dialect of the protocol through one interface, so that a check
// for several dialects is written once. The enums and the S3 messages are the KEP's v1alpha2, which
// has the larger vocabulary.
package port

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// The generations of the protocol. Several dialects share the second one.
const (
	V1alpha1 = "v1alpha1"
	V1alpha2 = "v1alpha2"
)

// Shorter names of the protocol's types.
type (
	// Protocol is an object storage protocol.
	Protocol = cosiv1alpha2.ObjectProtocol_Type
	// Authentication is how an application authenticates.
	Authentication = cosiv1alpha2.AuthenticationType_Type
	// Mode is a permission in one category.
	Mode = cosiv1alpha2.AccessMode_Mode
)

// Unset is the value of an enum that a request does not set.
const Unset = -1

// Info is the identity of a driver.
type Info struct {
	Name string
	// Protocols are the driver's protocols. A driver of v1alpha1 does not report them.
	Protocols []Protocol
}

// BucketRequest describes a bucket. Key identifies it: the bucket ID in dialects whose drivers
// generate IDs, and the name in the others.
type BucketRequest struct {
	Key        string
	Protocols  []Protocol
	Parameters map[string]string
}

// Bucket is a bucket that a driver returned.
type Bucket struct {
	ID string
	// Protocols are the protocols of the returned information.
	Protocols []Protocol
	// S3, Azure and GCS are the information for these protocols, if the driver returned it.
	S3    *cosiv1alpha2.S3BucketInfo
	Azure *cosiv1alpha2.AzureBucketInfo
	GCS   *cosiv1alpha2.GcsBucketInfo
}

// Modes are the permissions of an access to one bucket.
type Modes struct{ ObjectData, ObjectMetadata, BucketMetadata Mode }

// AccessedBucket is a bucket with permissions on it. Drivers of v1alpha1 do not get them.
type AccessedBucket struct {
	ID    string
	Modes Modes
}

// AccessRequest describes an access. Key identifies it: the account ID in the dialect of the KEP,
// and the name in the others.
type AccessRequest struct {
	Key            string
	Protocol       Protocol
	Authentication Authentication
	ServiceAccount string
	Parameters     map[string]string
	Buckets        []AccessedBucket
}

// Access is the driver's response to a grant.
type Access struct {
	AccountID string
	// Buckets have one entry for each bucket in the response.
	Buckets []Bucket
	// Protocols are the protocols of the returned credentials.
	Protocols []Protocol
	// S3, Azure and GCS are the credentials for these protocols, if the driver returned them.
	S3    *cosiv1alpha2.S3CredentialInfo
	Azure *cosiv1alpha2.AzureCredentialInfo
	GCS   *cosiv1alpha2.GcsCredentialInfo
	// UnknownKeys are keys of credentials that the protocol does not define.
	UnknownKeys []string
}

// Driver is a driver of any dialect. Every method is one gRPC call, except BucketKey and AccountKey
// in dialects without these calls.
type Driver interface {
	Dialect() dialects.Dialect
	Info(ctx context.Context) (Info, error)
	// Health returns the health of the whole driver by grpc.health.v1, which is optional for drivers.
	Health(ctx context.Context) (healthv1.HealthCheckResponse_ServingStatus, error)
	// BucketKey returns the key for the name of a bucket: the ID that the driver generates, or the
	// name itself.
	BucketKey(ctx context.Context, request BucketRequest) (string, error)
	CreateBucket(ctx context.Context, request BucketRequest) (*Bucket, error)
	// GetBucket does not exist in v1alpha1.
	GetBucket(ctx context.Context, request BucketRequest) (*Bucket, error)
	DeleteBucket(ctx context.Context, id string, parameters map[string]string) error
	// AccountKey returns the key for the name of an access, like BucketKey.
	AccountKey(ctx context.Context, request AccessRequest) (string, error)
	Grant(ctx context.Context, request AccessRequest) (*Access, error)
	// Revoke revokes an access; Key is the account ID.
	Revoke(ctx context.Context, request AccessRequest) error
}

// health asks for the health of a driver, which is the same call in all dialects.
type health struct{ client healthv1.HealthClient }

func newHealth(conn grpc.ClientConnInterface) health { return health{healthv1.NewHealthClient(conn)} }

func (h health) Health(ctx context.Context) (healthv1.HealthCheckResponse_ServingStatus, error) {
	response, err := h.client.Check(ctx, &healthv1.HealthCheckRequest{})
	return response.GetStatus(), err
}

// ErrDialect means that a dialect has no such call, or cannot express the request.
var ErrDialect = errors.New("this dialect of the protocol cannot express it")

// Generation returns the latest generation in which a driver answers DriverGetInfo. An error of
// a driver that has the call is returned with the generation.
func Generation(ctx context.Context, conn grpc.ClientConnInterface) (string, error) {
	_, err := newV1alpha2(conn, dialects.KEP).Info(ctx)
	if status.Code(err) != codes.Unimplemented {
		return V1alpha2, err
	}
	if _, err := newV1alpha1(conn).Info(ctx); err != nil {
		return "", fmt.Errorf("the driver answers DriverGetInfo of neither %s nor %s: %w", V1alpha2, V1alpha1, err)
	}
	return V1alpha1, nil
}

// For returns the driver behind a connection. If the generation or the dialect is empty, For asks
// the driver, and uses v1alpha2 for a driver of both generations. Each question has the timeout.
func For(
	ctx context.Context, conn grpc.ClientConnInterface, generation string, dialect dialects.Dialect, timeout time.Duration,
) (driver Driver, err error) {
	if dialect == "" {
		if dialect, err = ask(ctx, conn, generation, timeout); err != nil {
			return nil, err
		}
	}
	if dialect == dialects.V1alpha1 {
		return newV1alpha1(conn), nil
	}
	return newV1alpha2(conn, dialect), nil
}

// ask returns the dialect of a driver, in a generation that may be empty.
func ask(ctx context.Context, conn grpc.ClientConnInterface, generation string, timeout time.Duration) (_ dialects.Dialect, err error) {
	if generation == "" {
		limited, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		if generation, err = Generation(limited, conn); err != nil {
			return "", fmt.Errorf("DriverGetInfo: %w", err)
		}
	}
	if generation == V1alpha1 {
		return dialects.V1alpha1, nil
	}
	dialect, err := dialects.Detect(ctx, questions{conn, timeout})
	if err == nil && dialect.Version() != generation {
		err = fmt.Errorf("the driver speaks %s, and not COSI %s", dialect.Protocol(), generation)
	}
	return dialect, err
}

// questions is a connection for Detect. A driver that ends or hangs at a call has it: gRPC itself
// answers UNIMPLEMENTED for missing methods.
type questions struct {
	grpc.ClientConnInterface

	timeout time.Duration
}

func (q questions) Invoke(ctx context.Context, method string, request, response any, options ...grpc.CallOption) error {
	ctx, cancel := context.WithTimeout(ctx, q.timeout)
	defer cancel()
	err := q.ClientConnInterface.Invoke(ctx, method, request, response, options...)
	if code := status.Code(err); code == codes.Unavailable || code == codes.DeadlineExceeded {
		return status.Error(codes.Internal, "the driver has the call, and does not answer: "+err.Error())
	}
	return err
}
