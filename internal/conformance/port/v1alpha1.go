package port

import (
	"context"
	"maps"
	"slices"

	"google.golang.org/grpc"

	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

type v1alpha1 struct {
	health

	identity    cosiv1alpha1.IdentityClient
	provisioner cosiv1alpha1.ProvisionerClient
}

func newV1alpha1(conn grpc.ClientConnInterface) *v1alpha1 {
	return &v1alpha1{
		health: newHealth(conn), identity: cosiv1alpha1.NewIdentityClient(conn), provisioner: cosiv1alpha1.NewProvisionerClient(conn),
	}
}

func (d *v1alpha1) Dialect() dialects.Dialect { return dialects.V1alpha1 }

func (d *v1alpha1) Info(ctx context.Context) (Info, error) {
	r, err := d.identity.DriverGetInfo(ctx, &cosiv1alpha1.DriverGetInfoRequest{})
	return Info{Name: r.GetName()}, err
}

func (d *v1alpha1) BucketKey(_ context.Context, request BucketRequest) (string, error) {
	return request.Key, nil
}

func (d *v1alpha1) CreateBucket(ctx context.Context, request BucketRequest) (*Bucket, error) {
	r, err := d.provisioner.DriverCreateBucket(ctx, &cosiv1alpha1.DriverCreateBucketRequest{
		Name: request.Key, Parameters: request.Parameters,
	})
	if err != nil {
		return nil, err
	}
	info := r.GetBucketInfo()
	b := &Bucket{ID: r.GetBucketId(), Protocols: present(info.GetS3() != nil, info.GetAzureBlob() != nil, info.GetGcs() != nil)}
	if s3 := info.GetS3(); s3 != nil {
		b.S3 = &cosiv1alpha2.S3BucketInfo{BucketId: r.GetBucketId(), Region: s3.GetRegion()}
	}
	if azure := info.GetAzureBlob(); azure != nil {
		b.Azure = &cosiv1alpha2.AzureBucketInfo{StorageAccount: azure.GetStorageAccount()}
	}
	if gcs := info.GetGcs(); gcs != nil {
		b.GCS = &cosiv1alpha2.GcsBucketInfo{ProjectId: gcs.GetProjectId(), BucketName: r.GetBucketId()}
	}
	return b, nil
}

func (d *v1alpha1) GetBucket(context.Context, BucketRequest) (*Bucket, error) {
	return nil, ErrDialect
}

func (d *v1alpha1) DeleteBucket(ctx context.Context, id string, parameters map[string]string) error {
	_, err := d.provisioner.DriverDeleteBucket(ctx, &cosiv1alpha1.DriverDeleteBucketRequest{BucketId: id, DeleteContext: parameters})
	return err
}

func (d *v1alpha1) AccountKey(_ context.Context, request AccessRequest) (string, error) {
	return request.Key, nil
}

// Grant implements Driver. The request must have one bucket.
func (d *v1alpha1) Grant(ctx context.Context, request AccessRequest) (*Access, error) {
	r, err := d.provisioner.DriverGrantBucketAccess(ctx, &cosiv1alpha1.DriverGrantBucketAccessRequest{
		BucketId: onlyBucket(request), Name: request.Key, Parameters: request.Parameters,
		AuthenticationType: cosiv1alpha1.AuthenticationType(max(request.Authentication, 0)), // the values are the same
	})
	if err != nil {
		return nil, err
	}
	return accessOf(onlyBucket(request), r), nil
}

func accessOf(bucket string, r *cosiv1alpha1.DriverGrantBucketAccessResponse) *Access {
	access := &Access{AccountID: r.GetAccountId()}
	s3, azure := r.GetCredentials()[cosiv1alpha1.CredentialsS3], r.GetCredentials()[cosiv1alpha1.CredentialsAzure]
	access.Protocols = present(s3 != nil, azure != nil, false)
	for _, key := range slices.Sorted(maps.Keys(r.GetCredentials())) {
		if key != cosiv1alpha1.CredentialsS3 && key != cosiv1alpha1.CredentialsAzure {
			access.UnknownKeys = append(access.UnknownKeys, key)
		}
	}
	access.UnknownKeys = append(access.UnknownKeys, unknownKeys(s3.GetSecrets(),
		cosiv1alpha1.S3AccessKeyID, cosiv1alpha1.S3AccessSecretKey, cosiv1alpha1.S3Endpoint, cosiv1alpha1.S3Region)...)
	access.UnknownKeys = append(access.UnknownKeys, unknownKeys(azure.GetSecrets(),
		cosiv1alpha1.AzureAccessToken, cosiv1alpha1.AzureExpiry)...)
	info := Bucket{ID: bucket, Protocols: access.Protocols}
	if s3 != nil {
		secrets := s3.GetSecrets()
		access.S3 = &cosiv1alpha2.S3CredentialInfo{
			AccessKeyId: secrets[cosiv1alpha1.S3AccessKeyID], AccessSecretKey: secrets[cosiv1alpha1.S3AccessSecretKey],
		}
		info.S3 = &cosiv1alpha2.S3BucketInfo{
			BucketId: info.ID, Endpoint: secrets[cosiv1alpha1.S3Endpoint], Region: secrets[cosiv1alpha1.S3Region],
		}
	}
	if azure != nil {
		secrets := azure.GetSecrets()
		access.Azure = &cosiv1alpha2.AzureCredentialInfo{
			AccessToken: secrets[cosiv1alpha1.AzureAccessToken], ExpiryTimestamp: secrets[cosiv1alpha1.AzureExpiry],
		}
	}
	access.Buckets = []Bucket{info}
	return access
}

func (d *v1alpha1) Revoke(ctx context.Context, request AccessRequest) error {
	_, err := d.provisioner.DriverRevokeBucketAccess(ctx, &cosiv1alpha1.DriverRevokeBucketAccessRequest{
		BucketId: onlyBucket(request), AccountId: request.Key, RevokeAccessContext: request.Parameters,
	})
	return err
}

func onlyBucket(request AccessRequest) string {
	if len(request.Buckets) == 0 {
		return ""
	}
	return request.Buckets[0].ID
}

func unknownKeys(secrets map[string]string, known ...string) []string {
	var unknown []string
	for _, key := range slices.Sorted(maps.Keys(secrets)) {
		if !slices.Contains(known, key) {
			unknown = append(unknown, key)
		}
	}
	return unknown
}
