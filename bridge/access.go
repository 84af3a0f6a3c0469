package bridge

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// grantRequest has the methods that both requests for an account share.
type grantRequest interface {
	GetProtocol() *cosiv1alpha2.ObjectProtocol
	GetAuthenticationType() *cosiv1alpha2.AuthenticationType
	GetParameters() map[string]string
}

// DriverGenerateBucketAccessId implements cosiv1alpha2.ProvisionerServer. The ID is the
// name of the account, unless the driver chooses it now.
func (b *Bridge) DriverGenerateBucketAccessId( //nolint:revive // the name is generated
	ctx context.Context, request *cosiv1alpha2.DriverGenerateBucketAccessIdRequest,
) (*cosiv1alpha2.DriverGenerateBucketAccessIdResponse, error) {
	if request.GetAccountName() == "" {
		return nil, missing("account_name")
	}
	d, err := b.driverForGrant(ctx, request, request.GetBuckets())
	if err != nil {
		return nil, err
	}
	own, err := b.ownIDs(ctx, request.GetBuckets())
	if err != nil {
		return nil, err
	}
	id, err := d.generateAccountID(ctx, request, own)
	if err != nil {
		return nil, err
	}
	return &cosiv1alpha2.DriverGenerateBucketAccessIdResponse{AccountId: id}, nil
}

// DriverGrantBucketAccess implements cosiv1alpha2.ProvisionerServer.
func (b *Bridge) DriverGrantBucketAccess(
	ctx context.Context, request *cosiv1alpha2.DriverGrantBucketAccessRequest,
) (*cosiv1alpha2.DriverGrantBucketAccessResponse, error) {
	if request.GetAccountId() == "" {
		return nil, missing("account_id")
	}
	d, err := b.driverForGrant(ctx, request, request.GetBuckets())
	if err != nil {
		return nil, err
	}
	done, err := b.turns.take(ctx, idsOf(request.GetBuckets())...)
	if err != nil {
		return nil, err
	}
	defer done()
	return b.grant(ctx, d, request)
}

// grant has the driver grant access, and stores the ID of the account.
func (b *Bridge) grant(
	ctx context.Context, d driver, request *cosiv1alpha2.DriverGrantBucketAccessRequest,
) (response *cosiv1alpha2.DriverGrantBucketAccessResponse, err error) {
	own, err := b.ownIDs(ctx, request.GetBuckets())
	if err != nil {
		return nil, err
	}
	var incomplete error // an invalid response with a valid ID, which is stored
	err = b.accounts.learn(ctx, request.GetAccountId(), d.choosesAccountIDs(), request, func(known string) (id string, err error) {
		id, response, err = d.grant(ctx, request, own, known)
		switch {
		case id != "":
			incomplete = err
			return id, nil
		case err != nil:
			return "", err
		default:
			return "", status.Errorf(codes.Internal, "the driver has granted access to bucket %s and returned no account_id for %s",
				strings.Join(idsOf(request.GetBuckets()), ", "), request.GetAccountId())
		}
	})
	return response, cmp.Or(err, incomplete)
}

// ownIDs returns the driver's IDs of buckets that it has created or found.
func (b *Bridge) ownIDs(ctx context.Context, buckets []*accessedBucket) ([]string, error) {
	var own []string
	for _, bucket := range idsOf(buckets) {
		ids, err := b.buckets.all(ctx, bucket)
		if err != nil {
			return nil, err
		}
		if len(ids) == 0 {
			return nil, status.Errorf(codes.Unavailable, "bucket %s: the driver has not returned its ID yet", bucket)
		}
		own = append(own, ids[len(ids)-1])
	}
	return own, nil
}

// DriverRevokeBucketAccess implements cosiv1alpha2.ProvisionerServer.
func (b *Bridge) DriverRevokeBucketAccess(
	ctx context.Context, request *cosiv1alpha2.DriverRevokeBucketAccessRequest,
) (*cosiv1alpha2.DriverRevokeBucketAccessResponse, error) {
	buckets := idsOf(request.GetBuckets())
	switch {
	case request.GetAccountId() == "":
		return nil, missing("account_id")
	case len(buckets) == 0:
		return nil, missing("buckets")
	case slices.Contains(buckets, ""):
		return nil, missing("buckets.bucket_id")
	}
	d, err := b.driver(ctx)
	if err != nil {
		return nil, err
	}
	done, err := b.turns.take(ctx, buckets...)
	if err != nil {
		return nil, err
	}
	defer done()
	accounts, err := b.accountIDs(ctx, d, request)
	if err != nil {
		return nil, err
	}
	var own []string
	for _, bucket := range buckets {
		ids, err := b.buckets.all(ctx, bucket)
		if err != nil {
			return nil, err
		}
		own = append(own, ids...)
	}
	for _, account := range accounts {
		if err := d.revoke(ctx, request, account, own); err != nil {
			return nil, err
		}
	}
	if err := b.accounts.forget(ctx, request.GetAccountId()); err != nil {
		return nil, err
	}
	return &cosiv1alpha2.DriverRevokeBucketAccessResponse{}, nil
}

// accountIDs returns the IDs of an account that is to be removed. If the driver's
// answer has been lost, it is asked once more.
func (b *Bridge) accountIDs(ctx context.Context, d driver, request *cosiv1alpha2.DriverRevokeBucketAccessRequest) ([]string, error) {
	ids, err := b.accounts.all(ctx, request.GetAccountId())
	if err != nil || len(ids) > 0 {
		return ids, err
	}
	again := &cosiv1alpha2.DriverGrantBucketAccessRequest{
		AccountId: request.GetAccountId(), Protocol: request.GetProtocol(), AuthenticationType: request.GetAuthenticationType(),
		ServiceAccountName: request.GetServiceAccountName(), Parameters: request.GetParameters(),
		Buckets: []*accessedBucket{{BucketId: request.GetBuckets()[0].GetBucketId()}},
	}
	if err := b.accounts.lost(ctx, request.GetAccountId(), again); err != nil {
		return nil, err
	}
	if _, err := b.grant(ctx, d, again); err != nil {
		if code := status.Code(err); createsNothing(code) || code == codes.NotFound { // without the bucket there is no access
			return nil, nil
		}
		if ids, loadErr := b.accounts.all(ctx, request.GetAccountId()); loadErr == nil && len(ids) > 0 {
			return ids, nil // only the credentials are wrong
		}
		return nil, err
	}
	return b.accounts.all(ctx, request.GetAccountId())
}

// driverForGrant checks the fields that all requests for an account share, and returns the driver.
// It rejects requests that the driver's dialect cannot express.
func (b *Bridge) driverForGrant(ctx context.Context, request grantRequest, buckets []*accessedBucket) (driver, error) {
	switch ids := idsOf(buckets); {
	case len(ids) == 0:
		return nil, missing("buckets")
	case slices.Contains(ids, ""):
		return nil, missing("buckets.bucket_id")
	}
	d, err := b.driver(ctx)
	if err != nil {
		return nil, err
	}
	return d, d.checkGrant(request, buckets)
}

// idsOf returns the IDs of buckets, in their order.
func idsOf[T interface{ GetBucketId() string }](buckets []T) []string {
	var ids []string
	for _, bucket := range buckets {
		ids = append(ids, bucket.GetBucketId())
	}
	return ids
}
