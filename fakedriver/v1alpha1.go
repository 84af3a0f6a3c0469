package fakedriver

import (
	"context"

	"google.golang.org/protobuf/proto"

	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// v1alpha1 serves COSI v1alpha1. It translates each request into one of v1alpha2.
type v1alpha1 struct {
	cosiv1alpha1.UnimplementedIdentityServer
	cosiv1alpha1.UnimplementedProvisionerServer

	driver *Driver
}

func (s *v1alpha1) DriverGetInfo(context.Context, *cosiv1alpha1.DriverGetInfoRequest) (*cosiv1alpha1.DriverGetInfoResponse, error) {
	return &cosiv1alpha1.DriverGetInfoResponse{Name: s.driver.options.Name}, nil
}

// DriverCreateBucket returns the name as ID wherever S3 allows that.
func (s *v1alpha1) DriverCreateBucket(
	ctx context.Context, r *cosiv1alpha1.DriverCreateBucketRequest,
) (*cosiv1alpha1.DriverCreateBucketResponse, error) {
	if err := checkV1alpha1(r, required{"name", r.GetName()}); err != nil {
		return nil, err
	}
	if err := checkName("name", r.GetName()); err != nil {
		return nil, err
	}
	id := bucketID(r.GetName())
	created, err := s.driver.DriverCreateBucket(ctx, &cosiv1alpha2.DriverCreateBucketRequest{BucketId: id, Parameters: r.GetParameters()})
	if err != nil {
		return nil, err
	}
	return &cosiv1alpha1.DriverCreateBucketResponse{BucketId: id, BucketInfo: v1alpha1BucketInfo(created.GetProtocols())}, nil
}

// DriverDeleteBucket ignores the context, as v1alpha2 ignores the parameters.
func (s *v1alpha1) DriverDeleteBucket(
	ctx context.Context, r *cosiv1alpha1.DriverDeleteBucketRequest,
) (*cosiv1alpha1.DriverDeleteBucketResponse, error) {
	if err := checkV1alpha1(r, required{"bucket_id", r.GetBucketId()}); err != nil {
		return nil, err
	}
	_, err := s.driver.DriverDeleteBucket(ctx, &cosiv1alpha2.DriverDeleteBucketRequest{BucketId: r.GetBucketId()})
	if err != nil {
		return nil, err
	}
	return &cosiv1alpha1.DriverDeleteBucketResponse{}, nil
}

// DriverGrantBucketAccess uses the name of the account as its ID. v1alpha1 has no access modes: the
// account may read and write all.
func (s *v1alpha1) DriverGrantBucketAccess(
	ctx context.Context, r *cosiv1alpha1.DriverGrantBucketAccessRequest,
) (*cosiv1alpha1.DriverGrantBucketAccessResponse, error) {
	request, err := s.grantRequest(r)
	if err != nil {
		return nil, err
	}
	granted, err := s.driver.DriverGrantBucketAccess(ctx, request)
	if err != nil {
		return nil, err
	}
	return &cosiv1alpha1.DriverGrantBucketAccessResponse{
		AccountId:   request.GetAccountId(),
		Credentials: v1alpha1Credentials(granted.GetBuckets()[0].GetBucketInfo(), granted.GetCredentials()),
	}, nil
}

func (s *v1alpha1) grantRequest(r *cosiv1alpha1.DriverGrantBucketAccessRequest) (*cosiv1alpha2.DriverGrantBucketAccessRequest, error) {
	if err := checkV1alpha1(r, required{"bucket_id", r.GetBucketId()}, required{"name", r.GetName()}); err != nil {
		return nil, err
	}
	if err := checkName("name", r.GetName()); err != nil {
		return nil, err
	}
	protocol := s.driver.options.Protocols[0]
	if protocol == ProtocolGCS {
		return nil, invalid("bucket %q is reached by protocol %s, for which COSI v1alpha1 has no credentials", r.GetBucketId(), protocol)
	}
	authentication, err := s.authentication(r.GetAuthenticationType(), protocol)
	if err != nil {
		return nil, err
	}
	request := &cosiv1alpha2.DriverGrantBucketAccessRequest{
		AccountId: accountID(r.GetName()), Parameters: r.GetParameters(),
		Protocol:           &cosiv1alpha2.ObjectProtocol{Type: protocol.offered().wireType()},
		AuthenticationType: &cosiv1alpha2.AuthenticationType{Type: authentication},
		Buckets: []*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket{
			withMode(r.GetBucketId(), cosiv1alpha2.AccessMode_READ_WRITE),
		},
	}
	if authentication == cosiv1alpha2.AuthenticationType_SERVICE_ACCOUNT {
		request.ServiceAccountName = AnyServiceAccount
	}
	return request, nil
}

// authentication translates an authentication type, if the driver supports it.
func (s *v1alpha1) authentication(
	asked cosiv1alpha1.AuthenticationType, protocol Protocol,
) (cosiv1alpha2.AuthenticationType_Type, error) {
	supported := "Key"
	if s.driver.options.ServiceAccounts && protocol.offered().serviceAccounts() {
		supported = "Key or IAM"
	}
	isUnknown := asked == cosiv1alpha1.AuthenticationType_UnknownAuthenticationType
	switch {
	case asked == cosiv1alpha1.AuthenticationType_Key, isUnknown && s.driver.options.AcceptUnknownAuthentication:
		return cosiv1alpha2.AuthenticationType_KEY, nil
	case asked == cosiv1alpha1.AuthenticationType_IAM && supported != "Key":
		return cosiv1alpha2.AuthenticationType_SERVICE_ACCOUNT, nil
	default:
		return 0, invalid("authentication_type %s is not supported: it must be %s", asked, supported)
	}
}

// DriverRevokeBucketAccess deletes the account, which has one bucket.
func (s *v1alpha1) DriverRevokeBucketAccess(
	ctx context.Context, r *cosiv1alpha1.DriverRevokeBucketAccessRequest,
) (*cosiv1alpha1.DriverRevokeBucketAccessResponse, error) {
	if err := checkV1alpha1(r, required{"bucket_id", r.GetBucketId()}, required{"account_id", r.GetAccountId()}); err != nil {
		return nil, err
	}
	_, err := s.driver.DriverRevokeBucketAccess(ctx, &cosiv1alpha2.DriverRevokeBucketAccessRequest{AccountId: r.GetAccountId()})
	if err != nil {
		return nil, err
	}
	return &cosiv1alpha1.DriverRevokeBucketAccessResponse{}, nil
}

type required struct{ field, value string }

func checkV1alpha1(request proto.Message, fields ...required) error {
	for _, one := range fields {
		if one.value == "" {
			return invalid("%s is empty, and required", one.field)
		}
	}
	if err := cosiv1alpha1.CheckSizes(request); err != nil {
		return invalid("%s", err)
	}
	return nil
}

// v1alpha1BucketInfo translates a bucket's address. v1alpha1 returns the endpoint with the
// credentials.
func v1alpha1BucketInfo(info *cosiv1alpha2.ObjectProtocolAndBucketInfo) *cosiv1alpha1.Protocol {
	switch {
	case info.GetGcs() != nil:
		return &cosiv1alpha1.Protocol{Type: &cosiv1alpha1.Protocol_Gcs{Gcs: &cosiv1alpha1.GCS{ProjectId: info.GetGcs().GetProjectId()}}}
	case info.GetAzure() != nil:
		azure := &cosiv1alpha1.AzureBlob{StorageAccount: info.GetAzure().GetStorageAccount()}
		return &cosiv1alpha1.Protocol{Type: &cosiv1alpha1.Protocol_AzureBlob{AzureBlob: azure}}
	default:
		s3 := &cosiv1alpha1.S3{Region: info.GetS3().GetRegion(), SignatureVersion: cosiv1alpha1.S3SignatureVersion_S3V4}
		return &cosiv1alpha1.Protocol{Type: &cosiv1alpha1.Protocol_S3{S3: s3}}
	}
}

// v1alpha1Credentials translates the credentials of an application. Without a key, the endpoint and
// the region remain.
func v1alpha1Credentials(
	info *cosiv1alpha2.ObjectProtocolAndBucketInfo, credentials *cosiv1alpha2.CredentialInfo,
) map[string]*cosiv1alpha1.CredentialDetails {
	if azure := credentials.GetAzure(); azure != nil {
		secrets := map[string]string{cosiv1alpha1.AzureAccessToken: azure.GetAccessToken()}
		return map[string]*cosiv1alpha1.CredentialDetails{cosiv1alpha1.CredentialsAzure: {Secrets: secrets}}
	}
	secrets := map[string]string{
		cosiv1alpha1.S3Endpoint: info.GetS3().GetEndpoint(), cosiv1alpha1.S3Region: info.GetS3().GetRegion(),
	}
	if key := credentials.GetS3(); key.GetAccessKeyId() != "" {
		secrets[cosiv1alpha1.S3AccessKeyID], secrets[cosiv1alpha1.S3AccessSecretKey] = key.GetAccessKeyId(), key.GetAccessSecretKey()
	}
	return map[string]*cosiv1alpha1.CredentialDetails{cosiv1alpha1.CredentialsS3: {Secrets: secrets}}
}
