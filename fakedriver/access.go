package fakedriver

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// DriverGenerateBucketAccessId implements the Provisioner service. It calls no
// backend. Fields that only preview the later call are validated if they are set.
//
//nolint:revive // the name is the protocol's
func (d *Driver) DriverGenerateBucketAccessId(
	_ context.Context, r *cosiv1alpha2.DriverGenerateBucketAccessIdRequest,
) (*cosiv1alpha2.DriverGenerateBucketAccessIdResponse, error) {
	if err := checkName("account_name", r.GetAccountName()); err != nil {
		return nil, err
	}
	if r.GetProtocol() != nil {
		if _, err := d.protocolOf(r.GetProtocol()); err != nil {
			return nil, err
		}
	}
	if r.GetAuthenticationType() != nil {
		if err := d.checkAuthentication(r.GetAuthenticationType(), r.GetServiceAccountName()); err != nil {
			return nil, err
		}
	}
	authentication := r.GetAuthenticationType().GetType()
	if _, err := accessSettingsOf(d.accessParameters(authentication, r.GetParameters()), authentication); err != nil {
		return nil, err
	}
	if len(r.GetBuckets()) > 0 {
		if _, err := d.grants(r.GetBuckets()); err != nil {
			return nil, err
		}
	}
	return &cosiv1alpha2.DriverGenerateBucketAccessIdResponse{AccountId: accountID(r.GetAccountName())}, nil
}

// DriverGrantBucketAccess implements the Provisioner service. If a bucket does not exist, it
// creates nothing and returns NotFound, which the sidecar retries.
func (d *Driver) DriverGrantBucketAccess(
	ctx context.Context, r *cosiv1alpha2.DriverGrantBucketAccessRequest,
) (*cosiv1alpha2.DriverGrantBucketAccessResponse, error) {
	spec, settings, err := d.accountSpec(r)
	if err != nil {
		return nil, err
	}
	protocol, err := d.accessProtocol(r, spec.Grants)
	if err != nil {
		return nil, err
	}
	response := &cosiv1alpha2.DriverGrantBucketAccessResponse{}
	for _, grant := range spec.Grants {
		b, err := d.options.Backend.GetBucket(ctx, grant.Bucket)
		if err != nil {
			return nil, statusOf(err)
		}
		if err := checkBucketProtocol(b, protocol); err != nil {
			return nil, err
		}
		response.Buckets = append(response.Buckets, &cosiv1alpha2.DriverGrantBucketAccessResponse_BucketInfo{
			BucketId: b.Name, BucketInfo: d.bucketInfo(b),
		})
	}
	credentials, err := d.credentials(ctx, spec, settings)
	if err != nil {
		return nil, statusOf(err)
	}
	response.Credentials = d.credentialInfo(protocol, spec.Grants, credentials)
	return response, nil
}

// credentials creates the account, and returns its key; an account for a ServiceAccount has none.
func (d *Driver) credentials(ctx context.Context, spec AccountSpec, settings accessSettings) (Credentials, error) {
	credentials, err := d.options.Backend.PutAccount(ctx, spec)
	if err == nil && settings.rotate {
		credentials, err = d.options.Backend.RotateAccount(ctx, spec.Owner, spec.ID)
	}
	return credentials, err
}

func (d *Driver) accountSpec(r *cosiv1alpha2.DriverGrantBucketAccessRequest) (AccountSpec, accessSettings, error) {
	authentication := r.GetAuthenticationType().GetType()
	spec := AccountSpec{
		ID: r.GetAccountId(), Owner: d.options.Name, ServiceAccount: r.GetServiceAccountName(),
		Parameters: d.accessParameters(authentication, r.GetParameters()),
	}
	if err := checkAccountID(spec.ID); err != nil {
		return spec, accessSettings{}, err
	}
	if err := d.checkAuthentication(r.GetAuthenticationType(), r.GetServiceAccountName()); err != nil {
		return spec, accessSettings{}, err
	}
	settings, err := accessSettingsOf(spec.Parameters, authentication)
	if err != nil {
		return spec, settings, err
	}
	spec.Grants, err = d.grants(r.GetBuckets())
	return spec, settings, err
}

// DriverRevokeBucketAccess implements the Provisioner service. It reads only the account ID: the
// access must end even if everything else has changed.
func (d *Driver) DriverRevokeBucketAccess(
	ctx context.Context, r *cosiv1alpha2.DriverRevokeBucketAccessRequest,
) (*cosiv1alpha2.DriverRevokeBucketAccessResponse, error) {
	if err := checkAccountID(r.GetAccountId()); err != nil {
		return nil, err
	}
	err := d.options.Backend.DeleteAccount(ctx, d.options.Name, r.GetAccountId())
	switch {
	case err == nil, errors.Is(err, ErrNotExist):
		return &cosiv1alpha2.DriverRevokeBucketAccessResponse{}, nil
	case errors.Is(err, ErrConflict):
		return nil, status.Errorf(codes.FailedPrecondition,
			"account %q was not created by driver %s, which will not delete it", r.GetAccountId(), d.options.Name)
	default:
		return nil, statusOf(err)
	}
}
