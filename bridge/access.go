package bridge

import (
	"context"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// grantRequest is what the requests for an account have in common.
type grantRequest interface {
	GetProtocol() *cosiv1alpha2.ObjectProtocol
	GetAuthenticationType() *cosiv1alpha2.AuthenticationType
	GetParameters() map[string]string
}

// DriverGenerateBucketAccessId implements cosiv1alpha2.ProvisionerServer. The ID is the
// name of the account.
func (b *Bridge) DriverGenerateBucketAccessId( //nolint:revive // the name is generated
	_ context.Context, request *cosiv1alpha2.DriverGenerateBucketAccessIdRequest,
) (*cosiv1alpha2.DriverGenerateBucketAccessIdResponse, error) {
	if request.GetAccountName() == "" {
		return nil, missing("account_name")
	}
	if err := checkID(request.GetAccountName()); err != nil {
		return nil, err
	}
	if err := b.checkGrant(request, request.GetBuckets()); err != nil {
		return nil, err
	}
	return &cosiv1alpha2.DriverGenerateBucketAccessIdResponse{AccountId: request.GetAccountName()}, nil
}

// DriverGrantBucketAccess implements cosiv1alpha2.ProvisionerServer.
func (b *Bridge) DriverGrantBucketAccess(
	ctx context.Context, request *cosiv1alpha2.DriverGrantBucketAccessRequest,
) (*cosiv1alpha2.DriverGrantBucketAccessResponse, error) {
	account := request.GetAccountId()
	if account == "" {
		return nil, missing("account_id")
	}
	if err := b.checkGrant(request, request.GetBuckets()); err != nil {
		return nil, err
	}
	bucket := request.GetBuckets()[0].GetBucketId()
	done, err := b.turns.take(ctx, bucket)
	if err != nil {
		return nil, err
	}
	defer done()
	credentials, err := b.grant(ctx, account, bucket, request)
	if err != nil {
		return nil, err
	}
	return b.granted(request, credentials)
}

// grant has the driver grant access, and stores the ID of the account.
func (b *Bridge) grant(
	ctx context.Context, account, bucket string, request grantRequest,
) (credentials map[string]*cosiv1alpha1.CredentialDetails, err error) {
	if err := checkSizes(account, request.GetParameters()); err != nil {
		return nil, err
	}
	bucketIDs, err := b.buckets.all(ctx, bucket)
	if err != nil {
		return nil, err
	}
	if len(bucketIDs) == 0 {
		return nil, status.Errorf(codes.Unavailable, "bucket %s: the driver has not returned its ID yet", bucket)
	}
	kind, err := authenticationType(request.GetAuthenticationType())
	if err != nil {
		return nil, err
	}
	err = b.accounts.learn(ctx, account, func() (string, error) {
		response, err := b.provisioner.DriverGrantBucketAccess(ctx, &cosiv1alpha1.DriverGrantBucketAccessRequest{
			BucketId: bucketIDs[len(bucketIDs)-1], Name: account, AuthenticationType: kind, Parameters: request.GetParameters(),
		})
		if err != nil {
			return "", err
		}
		if response.GetAccountId() == "" {
			return "", status.Errorf(codes.Internal, "the driver has granted access to bucket %s and returned no account_id for %s", bucket, account)
		}
		credentials = response.GetCredentials()
		return response.GetAccountId(), nil
	})
	return credentials, err
}

// DriverRevokeBucketAccess implements cosiv1alpha2.ProvisionerServer.
func (b *Bridge) DriverRevokeBucketAccess(
	ctx context.Context, request *cosiv1alpha2.DriverRevokeBucketAccessRequest,
) (*cosiv1alpha2.DriverRevokeBucketAccessResponse, error) {
	if request.GetAccountId() == "" {
		return nil, missing("account_id")
	}
	if len(request.GetBuckets()) == 0 {
		return nil, missing("buckets")
	}
	for _, bucket := range request.GetBuckets() {
		if bucket.GetBucketId() == "" {
			return nil, missing("buckets.bucket_id")
		}
		if err := b.revokeFrom(ctx, bucket.GetBucketId(), request); err != nil {
			return nil, err
		}
	}
	if err := b.accounts.forget(ctx, request.GetAccountId()); err != nil {
		return nil, err
	}
	return &cosiv1alpha2.DriverRevokeBucketAccessResponse{}, nil
}

func (b *Bridge) revokeFrom(ctx context.Context, bucket string, request *cosiv1alpha2.DriverRevokeBucketAccessRequest) error {
	done, err := b.turns.take(ctx, bucket)
	if err != nil {
		return err
	}
	defer done()
	accounts, err := b.accountIDs(ctx, bucket, request)
	if err != nil {
		return err
	}
	buckets, err := b.buckets.all(ctx, bucket)
	if err != nil {
		return err
	}
	for _, account := range accounts {
		for _, id := range buckets {
			_, err := b.provisioner.DriverRevokeBucketAccess(ctx, &cosiv1alpha1.DriverRevokeBucketAccessRequest{
				BucketId: id, AccountId: account, RevokeAccessContext: request.GetParameters(),
			})
			if err != nil && status.Code(err) != codes.NotFound {
				return err
			}
		}
	}
	return nil
}

// accountIDs returns the IDs of an account that is to be removed. If the driver's
// answer has been lost, it is asked once more.
func (b *Bridge) accountIDs(ctx context.Context, bucket string, request *cosiv1alpha2.DriverRevokeBucketAccessRequest) ([]string, error) {
	account := request.GetAccountId()
	ids, err := b.accounts.all(ctx, account)
	if err != nil || len(ids) > 0 {
		return ids, err
	}
	if _, err := b.grant(ctx, account, bucket, request); err != nil {
		if code := status.Code(err); createsNothing(code) || code == codes.NotFound { // without the bucket there is no access
			return nil, nil
		}
		return nil, err
	}
	return b.accounts.all(ctx, account)
}

// checkGrant rejects what v1alpha1 cannot express.
func (b *Bridge) checkGrant(request grantRequest, buckets []*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket) error {
	protocol := request.GetProtocol().GetType()
	if !slices.Contains(b.options.Protocols, protocol) {
		return status.Errorf(codes.InvalidArgument, "protocol %s is not served: the bridge was started for %v", protocol, b.options.Protocols)
	}
	if _, err := authenticationType(request.GetAuthenticationType()); err != nil {
		return err
	}
	switch len(buckets) {
	case 0:
		return missing("buckets")
	case 1:
		return checkModes(buckets[0])
	default:
		return status.Errorf(codes.OutOfRange, "%d buckets: a driver of COSI v1alpha1 grants access to one bucket; "+
			"make a BucketAccess for each", len(buckets))
	}
}

func checkModes(bucket *cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket) error {
	if bucket.GetBucketId() == "" {
		return missing("buckets.bucket_id")
	}
	for _, category := range []struct {
		name string
		mode *cosiv1alpha2.AccessMode
	}{
		{"object data", bucket.GetObjectDataAccessMode()},
		{"object metadata", bucket.GetObjectMetadataAccessMode()},
		{"bucket metadata", bucket.GetBucketMetadataAccessMode()},
	} {
		switch category.mode.GetMode() {
		case cosiv1alpha2.AccessMode_ANY, cosiv1alpha2.AccessMode_READ_WRITE:
		case cosiv1alpha2.AccessMode_UNKNOWN:
			return status.Errorf(codes.InvalidArgument, "bucket %s: the access mode for %s is not known", bucket.GetBucketId(), category.name)
		default:
			return status.Errorf(codes.InvalidArgument, "bucket %s: access mode %s for %s: a driver of COSI v1alpha1 grants only read-write access",
				bucket.GetBucketId(), category.mode.GetMode(), category.name)
		}
	}
	return nil
}

func authenticationType(of *cosiv1alpha2.AuthenticationType) (cosiv1alpha1.AuthenticationType, error) {
	switch of.GetType() {
	case cosiv1alpha2.AuthenticationType_KEY:
		return cosiv1alpha1.AuthenticationType_Key, nil
	case cosiv1alpha2.AuthenticationType_SERVICE_ACCOUNT:
		return cosiv1alpha1.AuthenticationType_IAM, nil
	default:
		return 0, status.Errorf(codes.InvalidArgument, "authentication type %s is not known", of.GetType())
	}
}
