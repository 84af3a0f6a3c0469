package driverserver_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/driverserver"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// object is an object that an application writes with the credentials of a grant.
type object struct {
	client *s3.Client
	bucket string
}

func openObject(bucket string, secrets map[string]string) object {
	return object{bucket: bucket, client: s3.New(s3.Options{
		BaseEndpoint: aws.String(secrets[cosiv1alpha1.S3Endpoint]), Region: secrets[cosiv1alpha1.S3Region], UsePathStyle: true,
		RetryMaxAttempts: 1, Credentials: credentials.NewStaticCredentialsProvider(
			secrets[cosiv1alpha1.S3AccessKeyID], secrets[cosiv1alpha1.S3AccessSecretKey], ""),
	})}
}

func (o object) put(t *testing.T) error {
	t.Helper()
	_, err := o.client.PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: &o.bucket, Key: aws.String("hello.txt"), Body: strings.NewReader("hello"),
	})
	return err
}

// TestV1alpha1 uses a bucket with the credentials from a driver of v1alpha1, until the access is
// revoked, and then deletes the bucket: with its object only if the class allows it.
// Spec: A1-REVOKE-1, A1-PROTO-1
func TestV1alpha1(t *testing.T) {
	for deletion, want := range map[string]codes.Code{
		fakedriver.NonEmptyReject: codes.FailedPrecondition, fakedriver.NonEmptyPurge: codes.OK,
	} {
		t.Run(deletion, func(t *testing.T) {
			opts := driverserver.Options{
				Dialect: dialects.V1alpha1, Endpoint: "unix://" + filepath.Join(harness.SocketDir(t), "cosi.sock"), S3BindAddress: "127.0.0.1:0",
			}
			run(t, opts)
			driver := cosiv1alpha1.NewProvisionerClient(dialConn(t, opts.Endpoint))
			created, err := driver.DriverCreateBucket(t.Context(), &cosiv1alpha1.DriverCreateBucketRequest{
				Name: "photos", Parameters: map[string]string{fakedriver.ParameterNonEmptyDeletion: deletion},
			})
			if err != nil {
				t.Fatal(err)
			}
			id := created.GetBucketId()
			granted, err := driver.DriverGrantBucketAccess(t.Context(), &cosiv1alpha1.DriverGrantBucketAccessRequest{
				BucketId: id, Name: "ba-1", AuthenticationType: cosiv1alpha1.AuthenticationType_Key,
			})
			if err != nil {
				t.Fatal(err)
			}
			used := openObject(id, granted.GetCredentials()[cosiv1alpha1.CredentialsS3].GetSecrets())
			if err := used.put(t); err != nil {
				t.Fatalf("write with the granted key: %v", err)
			}
			_, err = driver.DriverRevokeBucketAccess(t.Context(), &cosiv1alpha1.DriverRevokeBucketAccessRequest{
				BucketId: id, AccountId: granted.GetAccountId(),
			})
			if err != nil {
				t.Fatal(err)
			}
			err = used.put(t)
			if rejected, ok := errors.AsType[smithy.APIError](err); !ok || rejected.ErrorCode() != "InvalidAccessKeyId" {
				t.Errorf("write with the revoked key: %v, want InvalidAccessKeyId", err)
			}
			_, err = driver.DriverDeleteBucket(t.Context(), &cosiv1alpha1.DriverDeleteBucketRequest{BucketId: id})
			if status.Code(err) != want {
				t.Errorf("DriverDeleteBucket() of a bucket with an object: %v, want %s", err, want)
			}
		})
	}
}
