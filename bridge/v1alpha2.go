package bridge

import (
	"cmp"
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// v1alpha2Driver is a driver of a dialect of v1alpha2. The name of a bucket or account has
// the same number in its requests as the ID in the KEP's.
type v1alpha2Driver struct {
	dialect     dialects.Dialect
	conn        grpc.ClientConnInterface
	provisioner cosiv1alpha2.ProvisionerClient
}

var _ driver = v1alpha2Driver{}

func (d v1alpha2Driver) getInfo(ctx context.Context) (*cosiv1alpha2.DriverGetInfoResponse, error) {
	return cosiv1alpha2.NewIdentityClient(d.conn).DriverGetInfo(ctx, &cosiv1alpha2.DriverGetInfoRequest{})
}

func (v1alpha2Driver) checkBucket([]*cosiv1alpha2.ObjectProtocol) error { return nil }

func (d v1alpha2Driver) checkGrant(_ grantRequest, buckets []*accessedBucket) error {
	if d.dialect.GeneratesBucketIDs() {
		return nil // the modes are the KEP's
	}
	_, err := d.accessedBuckets(buckets, nil)
	return err
}

func (d v1alpha2Driver) generateBucketID(
	ctx context.Context, request *cosiv1alpha2.DriverGenerateBucketIdRequest,
) (string, error) {
	if !d.dialect.GeneratesBucketIDs() {
		return request.GetName(), checkID(request.GetName())
	}
	response, err := d.provisioner.DriverGenerateBucketId(ctx, request)
	return response.GetBucketId(), err
}

func (d v1alpha2Driver) createBucket(
	ctx context.Context, request *cosiv1alpha2.DriverCreateBucketRequest, known string,
) (string, *bucketInfo, error) {
	if d.dialect.GeneratesBucketIDs() {
		id := cmp.Or(known, request.GetBucketId())
		request = proto.CloneOf(request)
		request.BucketId = id
		if d.dialect == dialects.KEP {
			response, err := d.provisioner.DriverCreateBucket(ctx, request)
			return id, response.GetProtocols(), err
		}
		response, err := d.callForBucket(ctx, cosiv1alpha2.Provisioner_DriverCreateBucket_FullMethodName, request)
		return id, response.GetProtocols(), err
	}
	response, err := d.callForBucket(ctx, cosiv1alpha2.Provisioner_DriverCreateBucket_FullMethodName, request)
	return response.GetBucketId(), response.GetProtocols(), err
}

// callForBucket calls a method that returns a bucket in earlier dialects.
func (d v1alpha2Driver) callForBucket(ctx context.Context, method string, request proto.Message) (*dialects.BucketResponse, error) {
	response := &dialects.BucketResponse{}
	if err := d.conn.Invoke(ctx, method, request, response); err != nil {
		return nil, err
	}
	return response, nil
}

func (d v1alpha2Driver) getBucket(
	ctx context.Context, request *cosiv1alpha2.DriverGetBucketRequest, own string,
) (string, *bucketInfo, error) {
	request = proto.CloneOf(request)
	request.BucketId = own
	method := dialects.GetExistingBucket
	switch d.dialect {
	case dialects.KEP:
		response, err := d.provisioner.DriverGetBucket(ctx, request)
		return own, response.GetProtocols(), err
	case dialects.BucketIDs:
		response, err := d.callForBucket(ctx, cosiv1alpha2.Provisioner_DriverGetBucket_FullMethodName, request)
		return own, response.GetProtocols(), err
	case dialects.OneModeGet:
		method = cosiv1alpha2.Provisioner_DriverGetBucket_FullMethodName
	case dialects.V1alpha1, dialects.NoModes, dialects.OneMode:
	}
	response, err := d.callForBucket(ctx, method, request)
	if err == nil && response.GetBucketId() == "" {
		err = status.Errorf(codes.Internal, "the driver has found bucket %s and returned no bucket_id", own)
	}
	return response.GetBucketId(), response.GetProtocols(), err
}

func (d v1alpha2Driver) deleteBucket(ctx context.Context, request *cosiv1alpha2.DriverDeleteBucketRequest, own string) error {
	request = proto.CloneOf(request)
	request.BucketId = own
	_, err := d.provisioner.DriverDeleteBucket(ctx, request)
	return err
}

func (d v1alpha2Driver) generateAccountID(
	ctx context.Context, request *cosiv1alpha2.DriverGenerateBucketAccessIdRequest, own []string,
) (string, error) {
	if d.dialect != dialects.KEP {
		return request.GetAccountName(), checkID(request.GetAccountName())
	}
	request = proto.CloneOf(request)
	for i, id := range own {
		request.Buckets[i].BucketId = id
	}
	response, err := d.provisioner.DriverGenerateBucketAccessId(ctx, request)
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
		return d.callForAccount(ctx, &dialects.GrantBucketAccessRequest{
			AccountName: request.GetAccountId(), Protocol: request.GetProtocol(), AuthenticationType: request.GetAuthenticationType(),
			ServiceAccountName: request.GetServiceAccountName(), Parameters: request.GetParameters(), Buckets: buckets,
		})
	}
	request = proto.CloneOf(request)
	for i, id := range own {
		request.Buckets[i].BucketId = id
	}
	if d.dialect == dialects.BucketIDs {
		return d.callForAccount(ctx, request)
	}
	request.AccountId = cmp.Or(known, request.GetAccountId())
	response, err = d.provisioner.DriverGrantBucketAccess(ctx, request)
	if err != nil {
		return "", nil, err
	}
	return request.GetAccountId(), response, nil
}

// callForAccount grants access in an earlier dialect.
func (d v1alpha2Driver) callForAccount(
	ctx context.Context, request proto.Message,
) (account string, response *cosiv1alpha2.DriverGrantBucketAccessResponse, err error) {
	granted := &dialects.GrantBucketAccessResponse{}
	if err := d.conn.Invoke(ctx, cosiv1alpha2.Provisioner_DriverGrantBucketAccess_FullMethodName, request, granted); err != nil {
		return "", nil, err
	}
	return granted.GetAccountId(), &cosiv1alpha2.DriverGrantBucketAccessResponse{
		Buckets: granted.GetBuckets(), Credentials: granted.GetCredentials(),
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
	_, err := d.provisioner.DriverRevokeBucketAccess(ctx, request)
	return err
}
