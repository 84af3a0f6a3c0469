package staticdriver

import (
	"context"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// v1alpha1 serves COSI v1alpha1, which looks no bucket up, and has credentials for S3 and Azure only.
type v1alpha1 struct {
	cosiv1alpha1.UnimplementedIdentityServer
	cosiv1alpha1.UnimplementedProvisionerServer

	driver *Driver
}

func (s *v1alpha1) DriverGetInfo(context.Context, *cosiv1alpha1.DriverGetInfoRequest) (*cosiv1alpha1.DriverGetInfoResponse, error) {
	return &cosiv1alpha1.DriverGetInfoResponse{Name: s.driver.options.Name}, nil
}

func (s *v1alpha1) DriverCreateBucket(
	context.Context, *cosiv1alpha1.DriverCreateBucketRequest,
) (*cosiv1alpha1.DriverCreateBucketResponse, error) {
	return nil, s.driver.errCreates()
}

func (*v1alpha1) DriverDeleteBucket(
	_ context.Context, r *cosiv1alpha1.DriverDeleteBucketRequest,
) (*cosiv1alpha1.DriverDeleteBucketResponse, error) {
	if r.GetBucketId() == "" {
		return nil, invalid("bucket_id is empty")
	}
	return &cosiv1alpha1.DriverDeleteBucketResponse{}, nil
}

// DriverGrantBucketAccess returns the credentials for Azure if the Secret has a token, and for S3 otherwise: the request names no
// protocol. The account is named after the access.
func (s *v1alpha1) DriverGrantBucketAccess(
	ctx context.Context, r *cosiv1alpha1.DriverGrantBucketAccessRequest,
) (*cosiv1alpha1.DriverGrantBucketAccessResponse, error) {
	switch {
	case r.GetBucketId() == "":
		return nil, invalid("bucket_id is empty")
	case r.GetName() == "":
		return nil, invalid("name is empty")
	case r.GetAuthenticationType() == cosiv1alpha1.AuthenticationType_IAM:
		return nil, invalid("authentication_type IAM is not supported: it must be Key")
	}
	v, err := valuesOf(ctx, r.GetParameters(), addressParameters)
	if err != nil {
		return nil, err
	}
	asked := cosiv1alpha2.ObjectProtocol_S3
	if v.get(v1alpha2.SecretKeyAzureSASToken) != "" {
		asked = cosiv1alpha2.ObjectProtocol_AZURE
	}
	every := &cosiv1alpha2.AccessMode{Mode: cosiv1alpha2.AccessMode_ANY} // the version has no modes
	granted, err := s.driver.DriverGrantBucketAccess(ctx, &cosiv1alpha2.DriverGrantBucketAccessRequest{
		AccountId: r.GetName(), Parameters: r.GetParameters(), Protocol: &cosiv1alpha2.ObjectProtocol{Type: asked},
		AuthenticationType: &cosiv1alpha2.AuthenticationType{Type: cosiv1alpha2.AuthenticationType_KEY},
		Buckets: []*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket{{
			BucketId: r.GetBucketId(), ObjectDataAccessMode: every, ObjectMetadataAccessMode: every, BucketMetadataAccessMode: every,
		}},
	})
	if err != nil {
		return nil, err
	}
	return &cosiv1alpha1.DriverGrantBucketAccessResponse{
		AccountId: r.GetName(), Credentials: v1alpha1Credentials(granted.GetBuckets()[0].GetBucketInfo().GetS3(), granted.GetCredentials()),
	}, nil
}

func (*v1alpha1) DriverRevokeBucketAccess(
	_ context.Context, r *cosiv1alpha1.DriverRevokeBucketAccessRequest,
) (*cosiv1alpha1.DriverRevokeBucketAccessResponse, error) {
	if r.GetAccountId() == "" {
		return nil, invalid("account_id is empty")
	}
	return &cosiv1alpha1.DriverRevokeBucketAccessResponse{}, nil
}

func v1alpha1Credentials(
	bucket *cosiv1alpha2.S3BucketInfo, credentials *cosiv1alpha2.CredentialInfo,
) map[string]*cosiv1alpha1.CredentialDetails {
	if azure := credentials.GetAzure(); azure != nil {
		secrets := map[string]string{cosiv1alpha1.AzureAccessToken: azure.GetAccessToken()}
		if expiry := azure.GetExpiryTimestamp(); expiry != "" {
			secrets[cosiv1alpha1.AzureExpiry] = expiry
		}
		return map[string]*cosiv1alpha1.CredentialDetails{cosiv1alpha1.CredentialsAzure: {Secrets: secrets}}
	}
	key := credentials.GetS3()
	return map[string]*cosiv1alpha1.CredentialDetails{cosiv1alpha1.CredentialsS3: {Secrets: map[string]string{
		cosiv1alpha1.S3Endpoint: bucket.GetEndpoint(), cosiv1alpha1.S3Region: bucket.GetRegion(),
		cosiv1alpha1.S3AccessKeyID: key.GetAccessKeyId(), cosiv1alpha1.S3AccessSecretKey: key.GetAccessSecretKey(),
	}}}
}
