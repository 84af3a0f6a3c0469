package staticdriver

import (
	"cmp"
	"context"
	"slices"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// DriverGenerateBucketAccessId implements the Provisioner service. There is no account at the provider, so that the name is the ID.
//
//nolint:revive // the name is the protocol's
func (*Driver) DriverGenerateBucketAccessId(
	_ context.Context, r *cosiv1alpha2.DriverGenerateBucketAccessIdRequest,
) (*cosiv1alpha2.DriverGenerateBucketAccessIdResponse, error) {
	if r.GetAccountName() == "" {
		return nil, invalid("account_name is empty")
	}
	return &cosiv1alpha2.DriverGenerateBucketAccessIdResponse{AccountId: r.GetAccountName()}, nil
}

// DriverGrantBucketAccess implements the Provisioner service. All accesses of a class have the credentials of its Secret.
func (*Driver) DriverGrantBucketAccess(
	ctx context.Context, r *cosiv1alpha2.DriverGrantBucketAccessRequest,
) (*cosiv1alpha2.DriverGrantBucketAccessResponse, error) {
	switch {
	case r.GetAccountId() == "":
		return nil, invalid("account_id is empty")
	case len(r.GetBuckets()) == 0:
		return nil, invalid("buckets is empty")
	case r.GetAuthenticationType().GetType() != cosiv1alpha2.AuthenticationType_KEY:
		return nil, invalid("authentication type %s is not supported: it must be Key", r.GetAuthenticationType().GetType())
	}
	v, err := valuesOf(ctx, r.GetParameters(), append(slices.Clone(addressParameters), ParameterAccessMode))
	if err != nil {
		return nil, err
	}
	asked, err := protocolOf(r.GetProtocol())
	if err == nil {
		err = v.checkModes(r.GetBuckets())
	}
	if err == nil {
		err = v.require(asked.required...)
	}
	if err != nil {
		return nil, err
	}
	response := &cosiv1alpha2.DriverGrantBucketAccessResponse{Credentials: asked.credentials(v)}
	for _, bucket := range r.GetBuckets() {
		info := &bucketInfo{}
		if err := asked.addBucket(info, bucket.GetBucketId(), v); err != nil {
			return nil, err
		}
		response.Buckets = append(response.Buckets, &cosiv1alpha2.DriverGrantBucketAccessResponse_BucketInfo{
			BucketId: bucket.GetBucketId(), BucketInfo: info,
		})
	}
	return response, nil
}

// DriverRevokeBucketAccess implements the Provisioner service. The credentials stay the administrator's, and valid.
func (*Driver) DriverRevokeBucketAccess(
	_ context.Context, r *cosiv1alpha2.DriverRevokeBucketAccessRequest,
) (*cosiv1alpha2.DriverRevokeBucketAccessResponse, error) {
	if r.GetAccountId() == "" {
		return nil, invalid("account_id is empty")
	}
	return &cosiv1alpha2.DriverRevokeBucketAccessResponse{}, nil
}

// checkModes rejects access modes other than the mode of the credentials: the driver cannot restrict them, and a consumer with
// ReadOnly must not be able to write.
func (v values) checkModes(buckets []*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket) error {
	permitted, ok := map[v1alpha2.BucketAccessMode]cosiv1alpha2.AccessMode_Mode{
		v1alpha2.BucketAccessModeReadWrite: cosiv1alpha2.AccessMode_READ_WRITE,
		v1alpha2.BucketAccessModeReadOnly:  cosiv1alpha2.AccessMode_READ_ONLY,
		v1alpha2.BucketAccessModeWriteOnly: cosiv1alpha2.AccessMode_WRITE_ONLY,
	}[v1alpha2.BucketAccessMode(cmp.Or(v.parameters[ParameterAccessMode], string(v1alpha2.BucketAccessModeReadWrite)))]
	if !ok {
		return invalid("parameter %s must be ReadWrite, ReadOnly or WriteOnly", ParameterAccessMode)
	}
	for _, bucket := range buckets {
		for _, mode := range []*cosiv1alpha2.AccessMode{
			bucket.GetObjectDataAccessMode(), bucket.GetObjectMetadataAccessMode(), bucket.GetBucketMetadataAccessMode(),
		} {
			switch mode.GetMode() {
			case permitted, cosiv1alpha2.AccessMode_ANY:
			default:
				return invalid("bucket %q: access mode %s is not the mode of the credentials of the class, %s: use a class whose Secret has "+
					"suitable credentials, and whose parameter %s names the mode", bucket.GetBucketId(), mode.GetMode(), permitted, ParameterAccessMode)
			}
		}
	}
	return nil
}
