package driver

import (
	"context"
	"unicode"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
)

// maxIDLength is the maximum length of an accepted ID, in bytes. The specification has 128, which
// the IDs of deployed drivers exceed.
const maxIDLength = 2048

// Access is the input of a Grant.
type Access struct {
	BucketID       string
	Name           string
	Authentication v1alpha1.AuthenticationType
	Parameters     map[string]string
}

// Grant is a driver's answer to DriverGrantBucketAccess.
type Grant struct {
	// AccountID identifies the account for the revocation.
	AccountID string
	// Credentials are the credentials by protocol, as spelled by the driver. They are secret.
	Credentials map[string]*cosiv1alpha1.CredentialDetails
}

// CreateBucket creates a bucket and returns its ID. The driver need not return info of it.
func (d *Driver) CreateBucket(ctx context.Context, name string, parameters map[string]string) (string, error) {
	ctx, parameters, err := d.WithSecret(ctx, parameters)
	if err == nil {
		err = checkParameters(createBucket, parameters)
	}
	if err != nil {
		return "", err
	}
	response, err := connection.Call(ctx, d.Conn, createBucket, d.provisioner.DriverCreateBucket,
		&cosiv1alpha1.DriverCreateBucketRequest{Name: name, Parameters: parameters})
	if err != nil {
		return "", err
	}
	return response.GetBucketId(), checkID(createBucket, "bucket ID", response.GetBucketId())
}

// DeleteBucket deletes a bucket with its data. It also succeeds if the bucket does not
// exist any more.
func (d *Driver) DeleteBucket(ctx context.Context, id string, parameters map[string]string) error {
	ctx, parameters, err := d.WithSecretIfAny(ctx, parameters)
	if err == nil {
		err = checkParameters(deleteBucket, parameters)
	}
	if err != nil {
		return err
	}
	_, err = connection.Call(ctx, d.Conn, deleteBucket, d.provisioner.DriverDeleteBucket,
		&cosiv1alpha1.DriverDeleteBucketRequest{BucketId: id, DeleteContext: parameters})
	return ignoreNotFound(err)
}

// GrantBucketAccess grants an account access to a bucket.
func (d *Driver) GrantBucketAccess(ctx context.Context, access Access) (*Grant, error) {
	ctx, parameters, err := d.WithSecret(ctx, access.Parameters)
	if err == nil {
		err = checkParameters(grantBucketAccess, parameters)
	}
	if err != nil {
		return nil, err
	}
	response, err := connection.Call(ctx, d.Conn, grantBucketAccess, d.provisioner.DriverGrantBucketAccess,
		&cosiv1alpha1.DriverGrantBucketAccessRequest{
			BucketId: access.BucketID, Name: access.Name,
			AuthenticationType: wireAuthentication(access.Authentication), Parameters: parameters,
		})
	if err != nil {
		return nil, err
	}
	if err := checkID(grantBucketAccess, "account ID", response.GetAccountId()); err != nil {
		return nil, err
	}
	return &Grant{AccountID: response.GetAccountId(), Credentials: response.GetCredentials()}, nil
}

// RevokeBucketAccess revokes the access of an account to a bucket. It also succeeds if the access
// does not exist any more. As in v0.2, it sends no revoke_access_context: a driver that needs one
// would work here only.
func (d *Driver) RevokeBucketAccess(ctx context.Context, bucketID, accountID string) error {
	_, err := connection.Call(ctx, d.Conn, revokeBucketAccess, d.provisioner.DriverRevokeBucketAccess,
		&cosiv1alpha1.DriverRevokeBucketAccessRequest{BucketId: bucketID, AccountId: accountID})
	return ignoreNotFound(err)
}

// checkParameters rejects parameters that the specification does not allow, as a driver that
// follows it would. Of the other fields, IDs are the driver's own, and names are short.
func checkParameters(method string, parameters map[string]string) error {
	if err := cosiv1alpha1.CheckSizes(&cosiv1alpha1.DriverCreateBucketRequest{Parameters: parameters}); err != nil {
		return connection.NewCallError(method, status.Errorf(codes.InvalidArgument, "it was not sent, because %v", err), isFinal)
	}
	return nil
}

func ignoreNotFound(err error) error {
	if connection.CodeOf(err) == codes.NotFound {
		return nil
	}
	return err
}

func wireAuthentication(authentication v1alpha1.AuthenticationType) cosiv1alpha1.AuthenticationType {
	switch authentication {
	case v1alpha1.AuthenticationTypeKey:
		return cosiv1alpha1.AuthenticationType_Key
	case v1alpha1.AuthenticationTypeIAM:
		return cosiv1alpha1.AuthenticationType_IAM
	default:
		return cosiv1alpha1.AuthenticationType_UnknownAuthenticationType
	}
}

// checkID validates an ID. It is opaque: deployed drivers use characters such as '/' and ':', and
// IDs that differ from the name.
func checkID(method, kind, id string) error {
	switch {
	case id == "":
		return connection.Invalid(method, "it has no %s", kind)
	case len(id) > maxIDLength:
		return connection.Invalid(method, "the %s is %d bytes long; the limit is %d", kind, len(id), maxIDLength)
	}
	for _, r := range id {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return connection.Invalid(method, "the %s %q has control characters", kind, id)
		}
	}
	return nil
}

// Turns returns the names by which calls that change a bucket wait for each other: the name of its
// Bucket, by which it is created, and its ID, which may not be known yet.
func Turns(bucket, id string) []string {
	turns := []string{"name " + bucket}
	if id != "" {
		turns = append(turns, id)
	}
	return turns
}
