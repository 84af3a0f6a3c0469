package backend

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	awscredentials "github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/apimachinery/pkg/util/uuid"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

func (d *Driver) withDriver(ctx context.Context, do func(cosiv1alpha2.ProvisionerClient) error) error {
	connection, err := d.Dial(ctx)
	if err != nil {
		return err
	}
	return errors.Join(do(cosiv1alpha2.NewProvisionerClient(connection)), connection.Close())
}

// ownCalled returns the buckets of the scenario that the user's driver has.
func (d *Driver) ownCalled() []calledBucket {
	var own []calledBucket
	for _, bucket := range d.Calls.state().buckets {
		if d.IsOwn(bucket.id) || d.IsOwn(bucket.name) {
			own = append(own, bucket)
		}
	}
	return own
}

// Empty deletes the objects that the steps have put into buckets of the user's driver. It
// gets the keys of an account for this.
func (d *Driver) Empty(ctx context.Context) error {
	if !d.Puts.Any() {
		return nil
	}
	grant := d.Calls.state().grant
	if grant == nil {
		return nil
	}
	return d.withDriver(ctx, func(driver cosiv1alpha2.ProvisionerClient) error {
		var failed []error
		for _, bucket := range d.ownCalled() {
			if err := d.emptyWithKeys(ctx, driver, bucket, grant.Parameters); err != nil && status.Code(err) != codes.NotFound {
				failed = append(failed, fmt.Errorf("empty bucket %s: %w", bucket.id, err))
			}
		}
		return errors.Join(failed...)
	})
}

func (d *Driver) emptyWithKeys(
	ctx context.Context, driver cosiv1alpha2.ProvisionerClient, bucket calledBucket, parameters map[string]string,
) error {
	protocol := &cosiv1alpha2.ObjectProtocol{Type: cosiv1alpha2.ObjectProtocol_S3}
	byKey := &cosiv1alpha2.AuthenticationType{Type: cosiv1alpha2.AuthenticationType_KEY}
	all := &cosiv1alpha2.AccessMode{Mode: cosiv1alpha2.AccessMode_READ_WRITE}
	accessed := []*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket{{
		BucketId: bucket.id, ObjectDataAccessMode: all, ObjectMetadataAccessMode: all, BucketMetadataAccessMode: all,
	}}
	account, err := driver.DriverGenerateBucketAccessId(ctx, &cosiv1alpha2.DriverGenerateBucketAccessIdRequest{
		AccountName: "ba-" + string(uuid.NewUUID()), Protocol: protocol, AuthenticationType: byKey, Parameters: parameters, Buckets: accessed,
	})
	if err != nil {
		return err
	}
	d.External.Watcher.MarkExternal(account.GetAccountId())
	granted, err := driver.DriverGrantBucketAccess(ctx, &cosiv1alpha2.DriverGrantBucketAccessRequest{
		AccountId: account.GetAccountId(), Protocol: protocol, AuthenticationType: byKey, Parameters: parameters, Buckets: accessed,
	})
	if err != nil {
		return err
	}
	err = deleteObjects(ctx, granted)
	_, revoked := driver.DriverRevokeBucketAccess(ctx, &cosiv1alpha2.DriverRevokeBucketAccessRequest{
		AccountId: account.GetAccountId(), Protocol: protocol, AuthenticationType: byKey, Parameters: parameters,
		Buckets: []*cosiv1alpha2.DriverRevokeBucketAccessRequest_AccessedBucket{{BucketId: bucket.id}},
	})
	return errors.Join(err, revoked)
}

// deleteObjects deletes all objects of a bucket that a driver has granted access to.
func deleteObjects(ctx context.Context, granted *cosiv1alpha2.DriverGrantBucketAccessResponse) error {
	if len(granted.GetBuckets()) == 0 {
		return errors.New("the driver has granted no bucket")
	}
	place, keys := granted.GetBuckets()[0].GetBucketInfo().GetS3(), granted.GetCredentials().GetS3()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := s3.New(s3.Options{
		BaseEndpoint: new(place.GetEndpoint()), Region: place.GetRegion(), HTTPClient: &http.Client{Transport: transport},
		UsePathStyle: place.GetAddressingStyle().GetStyle() != cosiv1alpha2.S3AddressingStyle_VIRTUAL,
		Credentials:  awscredentials.NewStaticCredentialsProvider(keys.GetAccessKeyId(), keys.GetAccessSecretKey(), ""),
	})
	err := deleteAllVersions(ctx, client, s3.DeleteObjectInput{Bucket: new(place.GetBucketId())})
	if failure, ok := errors.AsType[smithy.APIError](err); ok && failure.ErrorCode() == "NoSuchBucket" {
		return nil // COSI has deleted it meanwhile
	}
	return err
}

// CleanUp deletes the buckets that COSI has left in the backend of the user's driver, for
// example with the policy Retain.
func (d *Driver) CleanUp(ctx context.Context) error {
	own := d.ownCalled()
	if len(own) == 0 {
		return nil
	}
	return d.withDriver(ctx, func(driver cosiv1alpha2.ProvisionerClient) error {
		var failed []error
		for _, bucket := range own {
			failed = append(failed, d.deleteCalledBucket(ctx, driver, bucket))
		}
		return errors.Join(failed...)
	})
}

func (d *Driver) deleteCalledBucket(ctx context.Context, driver cosiv1alpha2.ProvisionerClient, bucket calledBucket) error {
	d.External.Watcher.MarkExternal(bucket.id)
	request := &cosiv1alpha2.DriverDeleteBucketRequest{BucketId: bucket.id, Parameters: bucket.parameters}
	response, err := driver.DriverDeleteBucket(ctx, request)
	if err != nil && status.Code(err) != codes.NotFound {
		return fmt.Errorf("delete bucket %s: %w", bucket.id, err)
	}
	d.Calls.Remember("DriverDeleteBucket", request, response)
	return nil
}
