package driver

import (
	"context"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// GenerateBucketAccessID asks for the ID of an account to create for a BucketAccess.
// The ID is valid for BucketAccess.status.accountID.
func (d *Driver) GenerateBucketAccessID(ctx context.Context, access *v1alpha2.BucketAccess) (string, error) {
	ctx, parameters, err := d.WithSecret(ctx, access.Status.Parameters)
	if err != nil {
		return "", err
	}
	response, err := connection.Call(ctx, d.Conn, generateBucketAccessID, d.provisioner.DriverGenerateBucketAccessId,
		&cosiv1alpha2.DriverGenerateBucketAccessIdRequest{
			AccountName:        v1alpha2.AccountNameForAccess(access.UID),
			Protocol:           wireProtocol(access.Spec.Protocol),
			AuthenticationType: wireAuthenticationType(access.Status.AuthenticationType),
			ServiceAccountName: serviceAccountName(access),
			Parameters:         parameters,
			Buckets:            accessedBuckets(access),
		})
	if err != nil {
		return "", orDialect(err)
	}
	return response.GetAccountId(), checkID(generateBucketAccessID, "account ID", response.GetAccountId())
}

// GrantBucketAccess grants the account status.accountID access to the buckets of a
// BucketAccess. The Grant covers exactly these buckets.
func (d *Driver) GrantBucketAccess(ctx context.Context, access *v1alpha2.BucketAccess) (*Grant, error) {
	ctx, parameters, err := d.WithSecret(ctx, access.Status.Parameters)
	if err != nil {
		return nil, err
	}
	request := &cosiv1alpha2.DriverGrantBucketAccessRequest{
		AccountId:          access.Status.AccountID,
		Protocol:           wireProtocol(access.Spec.Protocol),
		AuthenticationType: wireAuthenticationType(access.Status.AuthenticationType),
		ServiceAccountName: serviceAccountName(access),
		Parameters:         parameters,
		Buckets:            accessedBuckets(access),
	}
	response, err := connection.Call(ctx, d.Conn, grantBucketAccess, d.provisioner.DriverGrantBucketAccess, request)
	if err != nil {
		return nil, err
	}
	return readGrant(response, access)
}

// RevokeBucketAccess revokes all access of the account status.accountID. It also
// succeeds if the account does not exist any more.
func (d *Driver) RevokeBucketAccess(ctx context.Context, access *v1alpha2.BucketAccess) error {
	ctx, parameters, err := d.WithSecretIfAny(ctx, access.Status.Parameters)
	if err != nil {
		return err
	}
	request := &cosiv1alpha2.DriverRevokeBucketAccessRequest{
		AccountId:          access.Status.AccountID,
		Protocol:           wireProtocol(access.Spec.Protocol),
		AuthenticationType: wireAuthenticationType(access.Status.AuthenticationType),
		ServiceAccountName: serviceAccountName(access),
		Parameters:         parameters,
	}
	for _, accessed := range access.Status.AccessedBuckets {
		request.Buckets = append(request.Buckets, &cosiv1alpha2.DriverRevokeBucketAccessRequest_AccessedBucket{BucketId: accessed.BucketID})
	}
	_, err = connection.Call(ctx, d.Conn, revokeBucketAccess, d.provisioner.DriverRevokeBucketAccess, request)
	return err
}

// serviceAccountName omits the name for other authentication types, so that no driver depends on an
// optional field (KEP, DriverGrantBucketAccess).
func serviceAccountName(access *v1alpha2.BucketAccess) string {
	if access.Status.AuthenticationType != v1alpha2.AuthenticationTypeServiceAccount {
		return ""
	}
	return access.Spec.ServiceAccountName
}

// accessedBuckets joins the IDs in the status with the access modes in the spec.
func accessedBuckets(access *v1alpha2.BucketAccess) []*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket {
	modes := make(map[string]v1alpha2.BucketAccessModes, len(access.Spec.BucketClaims))
	for _, claim := range access.Spec.BucketClaims {
		modes[claim.BucketClaimName] = claim.AccessModes
	}
	buckets := make([]*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket, 0, len(access.Status.AccessedBuckets))
	for _, accessed := range access.Status.AccessedBuckets {
		wanted := modes[accessed.BucketClaimName]
		buckets = append(buckets, &cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket{
			BucketId:                 accessed.BucketID,
			ObjectDataAccessMode:     wireAccessMode(wanted.ObjectData),
			ObjectMetadataAccessMode: wireAccessMode(wanted.ObjectMetadata),
			BucketMetadataAccessMode: wireAccessMode(wanted.BucketMetadata),
		})
	}
	return buckets
}
