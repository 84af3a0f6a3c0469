package bridge

import (
	"cmp"
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// v1alpha2Driver is a driver of a dialect of v1alpha2. The name of a bucket or account has
// the same number in its requests as the ID in the KEP's.
type v1alpha2Driver struct {
	*dialects.Client

	dialect  dialects.Dialect
	identity cosiv1alpha2.IdentityClient
}

var _ driver = v1alpha2Driver{}

func (d v1alpha2Driver) getInfo(ctx context.Context) (*cosiv1alpha2.DriverGetInfoResponse, error) {
	return d.identity.DriverGetInfo(ctx, &cosiv1alpha2.DriverGetInfoRequest{})
}

func (v1alpha2Driver) checkBucket([]*cosiv1alpha2.ObjectProtocol) error { return nil }

func (d v1alpha2Driver) checkGrant(_ grantRequest, buckets []*accessedBucket) error {
	if d.dialect.GeneratesBucketIDs() {
		return nil // the modes are the KEP's
	}
	_, err := d.accessedBuckets(buckets, nil)
	return err
}

func (d v1alpha2Driver) choosesBucketIDs() bool { return !d.dialect.GeneratesBucketIDs() }

func (d v1alpha2Driver) choosesAccountIDs() bool { return d.dialect != dialects.KEP }

func (d v1alpha2Driver) generateBucketID(
	ctx context.Context, request *cosiv1alpha2.DriverGenerateBucketIdRequest,
) (string, error) {
	if d.choosesBucketIDs() {
		return request.GetName(), checkID(request.GetName())
	}
	response, err := d.DriverGenerateBucketId(ctx, request)
	return response.GetBucketId(), err
}

func (d v1alpha2Driver) createBucket(
	ctx context.Context, request *cosiv1alpha2.DriverCreateBucketRequest, known string,
) (string, *bucketInfo, error) {
	if known != "" && !d.choosesBucketIDs() {
		request = proto.CloneOf(request)
		request.BucketId = known
	}
	response, err := d.CreateBucket(ctx, request)
	return response.GetBucketId(), response.GetProtocols(), err
}

func (d v1alpha2Driver) getBucket(
	ctx context.Context, request *cosiv1alpha2.DriverGetBucketRequest, own string,
) (string, *bucketInfo, error) {
	request = proto.CloneOf(request)
	request.BucketId = own
	response, err := d.GetBucket(ctx, request)
	if err == nil && response.GetBucketId() == "" {
		err = status.Errorf(codes.Internal, "the driver has found bucket %s and returned no bucket_id", own)
	}
	return response.GetBucketId(), response.GetProtocols(), err
}

func (d v1alpha2Driver) deleteBucket(ctx context.Context, request *cosiv1alpha2.DriverDeleteBucketRequest, own string) error {
	request = proto.CloneOf(request)
	request.BucketId = own
	_, err := d.DriverDeleteBucket(ctx, request)
	return err
}

func (d v1alpha2Driver) generateAccountID(
	ctx context.Context, request *cosiv1alpha2.DriverGenerateBucketAccessIdRequest, own []string,
) (string, error) {
	if d.choosesAccountIDs() {
		return request.GetAccountName(), checkID(request.GetAccountName())
	}
	request = proto.CloneOf(request)
	for i, id := range own {
		request.Buckets[i].BucketId = id
	}
	response, err := d.DriverGenerateBucketAccessId(ctx, request)
	return response.GetAccountId(), err
}

func (d v1alpha2Driver) grant(
	ctx context.Context, request *cosiv1alpha2.DriverGrantBucketAccessRequest, own []string, known string,
) (account string, response *cosiv1alpha2.DriverGrantBucketAccessResponse, err error) {
	ids := map[string]string{}
	for i, id := range own {
		ids[id] = request.GetBuckets()[i].GetBucketId()
	}
	account, response, err = d.grantOwn(ctx, request, own, known)
	for _, bucket := range response.GetBuckets() {
		bucket.BucketId = cmp.Or(ids[bucket.GetBucketId()], bucket.GetBucketId())
	}
	return account, response, err
}

// grantOwn is grant with the driver's IDs of the buckets in the response.
func (d v1alpha2Driver) grantOwn(
	ctx context.Context, request *cosiv1alpha2.DriverGrantBucketAccessRequest, own []string, known string,
) (account string, response *cosiv1alpha2.DriverGrantBucketAccessResponse, err error) {
	if !d.dialect.GeneratesBucketIDs() {
		buckets, err := d.accessedBuckets(request.GetBuckets(), own)
		if err != nil {
			return "", nil, err
		}
		return granted(d.GrantOneMode(ctx, &dialects.GrantBucketAccessRequest{
			AccountName: request.GetAccountId(), Protocol: request.GetProtocol(), AuthenticationType: request.GetAuthenticationType(),
			ServiceAccountName: request.GetServiceAccountName(), Parameters: request.GetParameters(), Buckets: buckets,
		}))
	}
	request = proto.CloneOf(request)
	for i, id := range own {
		request.Buckets[i].BucketId = id
	}
	if d.dialect == dialects.KEP {
		request.AccountId = cmp.Or(known, request.GetAccountId())
	}
	return granted(d.GrantAccess(ctx, request))
}

// granted returns the account of a response, and the response in the form of the KEP.
func granted(
	response *dialects.GrantBucketAccessResponse, err error,
) (account string, _ *cosiv1alpha2.DriverGrantBucketAccessResponse, _ error) {
	if err != nil {
		return "", nil, err
	}
	return response.GetAccountId(), &cosiv1alpha2.DriverGrantBucketAccessResponse{
		Buckets: response.GetBuckets(), Credentials: response.GetCredentials(),
	}, nil
}

func (d v1alpha2Driver) revoke(
	ctx context.Context, request *cosiv1alpha2.DriverRevokeBucketAccessRequest, account string, own []string,
) error {
	request = proto.CloneOf(request)
	request.AccountId, request.Buckets = account, nil
	for _, id := range own {
		request.Buckets = append(request.Buckets, &cosiv1alpha2.DriverRevokeBucketAccessRequest_AccessedBucket{BucketId: id})
	}
	_, err := d.DriverRevokeBucketAccess(ctx, request)
	return err
}
