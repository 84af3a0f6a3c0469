// Package port calls a driver of any generation of the protocol through one interface, so
// that a check of what both generations require is written once. The enums and the S3
// messages are those of v1alpha2, which has the larger vocabulary.
package port

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// The generations of the protocol.
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

// Unset is the value of an enum that a request does not have at all.
const Unset = -1

// Info is who a driver is.
type Info struct {
	Name string
	// Protocols are those that the driver supports. A driver of v1alpha1 does not say.
	Protocols []Protocol
}

// BucketRequest describes a bucket. Key identifies it: the name in v1alpha1, the bucket ID
// in v1alpha2.
type BucketRequest struct {
	Key        string
	Protocols  []Protocol
	Parameters map[string]string
}

// Bucket is a bucket that a driver returned.
type Bucket struct {
	ID string
	// Protocols are those that the driver returned information for.
	Protocols []Protocol
	// S3, Azure and GCS are the information for these protocols, if the driver returned it.
	S3    *cosiv1alpha2.S3BucketInfo
	Azure *cosiv1alpha2.AzureBucketInfo
	GCS   *cosiv1alpha2.GcsBucketInfo
}

// Modes are the permissions of an access to one bucket.
type Modes struct{ ObjectData, ObjectMetadata, BucketMetadata Mode }

// AllModes returns the same mode in each category.
func AllModes(mode Mode) Modes { return Modes{mode, mode, mode} }

// AccessedBucket is a bucket with permissions on it. Drivers of v1alpha1 do not get them.
type AccessedBucket struct {
	ID    string
	Modes Modes
}

// AccessRequest describes an access. Key identifies it: the name in v1alpha1, the account ID
// in v1alpha2.
type AccessRequest struct {
	Key            string
	Protocol       Protocol
	Authentication Authentication
	ServiceAccount string
	Parameters     map[string]string
	Buckets        []AccessedBucket
}

// Access is what a driver granted.
type Access struct {
	AccountID string
	// Buckets have one entry for each bucket in the response.
	Buckets []Bucket
	// Protocols are those that the driver returned credentials for.
	Protocols []Protocol
	// S3, Azure and GCS are the credentials for these protocols, if the driver returned them.
	S3    *cosiv1alpha2.S3CredentialInfo
	Azure *cosiv1alpha2.AzureCredentialInfo
	GCS   *cosiv1alpha2.GcsCredentialInfo
	// UnknownKeys are keys of credentials that the protocol does not define.
	UnknownKeys []string
}

// Driver is a driver of any generation. Every method but BucketKey and AccountKey of
// v1alpha1 is one gRPC call.
type Driver interface {
	Generation() string
	Info(ctx context.Context) (Info, error)
	// BucketKey returns the key for the name of a bucket: the generated ID in v1alpha2,
	// the name itself in v1alpha1.
	BucketKey(ctx context.Context, request BucketRequest) (string, error)
	CreateBucket(ctx context.Context, request BucketRequest) (*Bucket, error)
	// GetBucket exists in v1alpha2 only.
	GetBucket(ctx context.Context, request BucketRequest) (*Bucket, error)
	DeleteBucket(ctx context.Context, id string, parameters map[string]string) error
	// AccountKey returns the key for the name of an access, like BucketKey.
	AccountKey(ctx context.Context, request AccessRequest) (string, error)
	Grant(ctx context.Context, request AccessRequest) (*Access, error)
	// Revoke revokes an access; Key is the account ID.
	Revoke(ctx context.Context, request AccessRequest) error
}

// ErrGeneration means that a generation has no such call.
var ErrGeneration = errors.New("this generation of the protocol has no such call")

// For returns the driver behind a connection. A driver of both generations is called by
// v1alpha2, unless a generation is given.
func For(ctx context.Context, conn grpc.ClientConnInterface, generation string) (Driver, error) {
	next, current := &v1alpha2{
		identity: cosiv1alpha2.NewIdentityClient(conn), provisioner: cosiv1alpha2.NewProvisionerClient(conn),
	}, &v1alpha1{identity: cosiv1alpha1.NewIdentityClient(conn), provisioner: cosiv1alpha1.NewProvisionerClient(conn)}
	switch generation {
	case V1alpha1:
		return current, nil
	case V1alpha2:
		return next, nil
	case "":
	default:
		return nil, fmt.Errorf("generation %q is not known: it must be %s or %s", generation, V1alpha1, V1alpha2)
	}
	_, err := next.Info(ctx)
	if status.Code(err) != codes.Unimplemented {
		return next, err
	}
	if _, err := current.Info(ctx); err != nil {
		return nil, fmt.Errorf("the driver answers DriverGetInfo of neither %s nor %s: %w", V1alpha2, V1alpha1, err)
	}
	return current, nil
}
