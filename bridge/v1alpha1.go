package bridge

import (
	"context"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// v1alpha1Driver is a driver of v1alpha1.
type v1alpha1Driver struct {
	options     Options
	identity    cosiv1alpha1.IdentityClient
	provisioner cosiv1alpha1.ProvisionerClient
}

var _ driver = v1alpha1Driver{}

func (d v1alpha1Driver) getInfo(ctx context.Context) (*cosiv1alpha2.DriverGetInfoResponse, error) {
	info, err := d.identity.DriverGetInfo(ctx, &cosiv1alpha1.DriverGetInfoRequest{})
	if err != nil {
		return nil, err
	}
	response := &cosiv1alpha2.DriverGetInfoResponse{Name: info.GetName()}
	for _, protocol := range d.options.Protocols {
		response.SupportedProtocols = append(response.SupportedProtocols, &cosiv1alpha2.ObjectProtocol{Type: protocol})
	}
	return response, nil
}

func (d v1alpha1Driver) checkBucket(protocols []*cosiv1alpha2.ObjectProtocol) error {
	for _, protocol := range protocols {
		if err := d.checkProtocol(protocol.GetType()); err != nil {
			return err
		}
	}
	return nil
}

func (d v1alpha1Driver) checkProtocol(protocol cosiv1alpha2.ObjectProtocol_Type) error {
	if slices.Contains(d.options.Protocols, protocol) {
		return nil
	}
	return status.Errorf(codes.InvalidArgument, "protocol %s is not served: the bridge was started for %v", protocol, d.options.Protocols)
}

func (d v1alpha1Driver) checkGrant(request grantRequest, buckets []*accessedBucket) error {
	if err := d.checkProtocol(request.GetProtocol().GetType()); err != nil {
		return err
	}
	if _, err := authenticationType(request.GetAuthenticationType()); err != nil {
		return err
	}
	if len(buckets) > 1 {
		return status.Errorf(codes.OutOfRange, "%d buckets: a driver of COSI v1alpha1 grants access to one bucket; "+
			"make a BucketAccess for each", len(buckets))
	}
	return requireReadWrite(buckets, dialects.V1alpha1)
}

func (v1alpha1Driver) choosesBucketIDs() bool { return true }

func (v1alpha1Driver) choosesAccountIDs() bool { return true }

func (v1alpha1Driver) generateBucketID(_ context.Context, request *cosiv1alpha2.DriverGenerateBucketIdRequest) (string, error) {
	return request.GetName(), checkID(request.GetName())
}

func (d v1alpha1Driver) createBucket(
	ctx context.Context, request *cosiv1alpha2.DriverCreateBucketRequest, _ string,
) (string, *bucketInfo, error) {
	if err := checkSizes(request.GetBucketId(), request.GetParameters()); err != nil {
		return "", nil, err
	}
	response, err := d.provisioner.DriverCreateBucket(ctx, &cosiv1alpha1.DriverCreateBucketRequest{
		Name: request.GetBucketId(), Parameters: request.GetParameters(),
	})
	if err != nil {
		return "", nil, err
	}
	return response.GetBucketId(), d.bucketInfo(request, response.GetBucketInfo()), nil
}

func (v1alpha1Driver) getBucket(context.Context, *cosiv1alpha2.DriverGetBucketRequest, string) (string, *bucketInfo, error) {
	return "", nil, status.Error(codes.Unimplemented, "COSI v1alpha1 has no call for it")
}

func (d v1alpha1Driver) deleteBucket(ctx context.Context, request *cosiv1alpha2.DriverDeleteBucketRequest, own string) error {
	_, err := d.provisioner.DriverDeleteBucket(ctx, &cosiv1alpha1.DriverDeleteBucketRequest{
		BucketId: own, DeleteContext: request.GetParameters(),
	})
	return unlessGone(err)
}

func (v1alpha1Driver) generateAccountID(
	_ context.Context, request *cosiv1alpha2.DriverGenerateBucketAccessIdRequest, _ []string,
) (string, error) {
	return request.GetAccountName(), checkID(request.GetAccountName())
}

func (d v1alpha1Driver) grant(
	ctx context.Context, request *cosiv1alpha2.DriverGrantBucketAccessRequest, own []string, _ string,
) (account string, response *cosiv1alpha2.DriverGrantBucketAccessResponse, err error) {
	kind, err := authenticationType(request.GetAuthenticationType())
	if err != nil {
		return "", nil, err
	}
	if err := checkSizes(request.GetAccountId(), request.GetParameters()); err != nil {
		return "", nil, err
	}
	granted, err := d.provisioner.DriverGrantBucketAccess(ctx, &cosiv1alpha1.DriverGrantBucketAccessRequest{
		BucketId: own[0], Name: request.GetAccountId(), AuthenticationType: kind, Parameters: request.GetParameters(),
	})
	if err != nil {
		return "", nil, err
	}
	response, err = d.granted(request, granted.GetCredentials())
	return granted.GetAccountId(), response, err
}

func (d v1alpha1Driver) revoke(
	ctx context.Context, request *cosiv1alpha2.DriverRevokeBucketAccessRequest, account string, own []string,
) error {
	for _, bucket := range own {
		_, err := d.provisioner.DriverRevokeBucketAccess(ctx, &cosiv1alpha1.DriverRevokeBucketAccessRequest{
			BucketId: bucket, AccountId: account, RevokeAccessContext: request.GetParameters(),
		})
		if err := unlessGone(err); err != nil {
			return err
		}
	}
	return nil
}

// unlessGone is the error of a call that removes something. A v1alpha1 sidecar, too, takes
// NOT_FOUND for success.
func unlessGone(err error) error {
	if status.Code(err) == codes.NotFound {
		return nil
	}
	return err
}

// checkSizes rejects a name and parameters larger than v1alpha1 allows. IDs are the driver's own.
func checkSizes(name string, parameters map[string]string) error {
	if err := cosiv1alpha1.CheckSizes(&cosiv1alpha1.DriverCreateBucketRequest{Name: name, Parameters: parameters}); err != nil {
		return status.Errorf(codes.InvalidArgument, "COSI v1alpha1 does not allow the request: %v", err)
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
