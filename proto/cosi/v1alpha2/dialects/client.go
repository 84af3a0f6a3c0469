package dialects

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// Client calls a driver of a dialect of v1alpha2. The calls of the embedded client are the same in
// all dialects that have them. Where a driver chooses IDs, a request has the name in place of the
// ID. A response has the ID of the bucket or account: the driver's, or the ID of the request.
type Client struct {
	cosiv1alpha2.ProvisionerClient

	dialect Dialect
	conn    grpc.ClientConnInterface
}

// NewClient returns a client for a driver of a dialect of v1alpha2.
func NewClient(conn grpc.ClientConnInterface, dialect Dialect) *Client {
	return &Client{ProvisionerClient: cosiv1alpha2.NewProvisionerClient(conn), dialect: dialect, conn: conn}
}

// CreateBucket calls DriverCreateBucket.
func (c *Client) CreateBucket(ctx context.Context, request *cosiv1alpha2.DriverCreateBucketRequest) (*BucketResponse, error) {
	if c.dialect == KEP {
		response, err := c.DriverCreateBucket(ctx, request)
		if err != nil {
			return nil, err
		}
		return &BucketResponse{BucketId: request.GetBucketId(), Protocols: CreatedProtocols(response)}, nil
	}
	return c.bucket(ctx, cosiv1alpha2.Provisioner_DriverCreateBucket_FullMethodName, request, request.GetBucketId())
}

// CreatedProtocols returns the protocols of a new bucket. Deployed drivers of the KEP's dialect return
// them under the field number that all earlier dialects have.
func CreatedProtocols(response *cosiv1alpha2.DriverCreateBucketResponse) *cosiv1alpha2.ObjectProtocolAndBucketInfo {
	if response.GetProtocols() != nil {
		return response.GetProtocols()
	}
	var earlier BucketResponse
	if proto.Unmarshal(response.ProtoReflect().GetUnknown(), &earlier) != nil {
		return nil
	}
	return earlier.GetProtocols()
}

// GetBucket calls DriverGetBucket, or in some dialects DriverGetExistingBucket.
func (c *Client) GetBucket(ctx context.Context, request *cosiv1alpha2.DriverGetBucketRequest) (*BucketResponse, error) {
	method := cosiv1alpha2.Provisioner_DriverGetBucket_FullMethodName
	if c.dialect == NoModes || c.dialect == OneMode {
		method = GetExistingBucket
	}
	return c.bucket(ctx, method, request, request.GetBucketId())
}

// bucket calls a method whose response has its protocols under the field number of BucketResponse.
func (c *Client) bucket(ctx context.Context, method string, request proto.Message, requested string) (*BucketResponse, error) {
	response := &BucketResponse{}
	if err := c.conn.Invoke(ctx, method, request, response); err != nil {
		return nil, err
	}
	if c.dialect.GeneratesBucketIDs() {
		response.BucketId = requested
	}
	return response, nil
}

// GrantAccess calls DriverGrantBucketAccess in the dialects with three modes for a bucket.
func (c *Client) GrantAccess(
	ctx context.Context, request *cosiv1alpha2.DriverGrantBucketAccessRequest,
) (*GrantBucketAccessResponse, error) {
	response, err := c.grant(ctx, request)
	if err == nil && c.dialect == KEP {
		response.AccountId = request.GetAccountId()
	}
	return response, err
}

// GrantOneMode calls DriverGrantBucketAccess in the dialects with at most one mode for a bucket.
func (c *Client) GrantOneMode(ctx context.Context, request *GrantBucketAccessRequest) (*GrantBucketAccessResponse, error) {
	return c.grant(ctx, request)
}

func (c *Client) grant(ctx context.Context, request proto.Message) (*GrantBucketAccessResponse, error) {
	response := &GrantBucketAccessResponse{}
	if err := c.conn.Invoke(ctx, cosiv1alpha2.Provisioner_DriverGrantBucketAccess_FullMethodName, request, response); err != nil {
		return nil, err
	}
	return response, nil
}
