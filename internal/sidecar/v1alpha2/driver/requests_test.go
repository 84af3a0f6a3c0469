package driver_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha2/driver"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

var (
	parameters = map[string]string{"tier": "gold", "": "empty keys pass as well"}
	s3AndGCS   = []*cosiv1alpha2.ObjectProtocol{{Type: cosiv1alpha2.ObjectProtocol_S3}, {Type: cosiv1alpha2.ObjectProtocol_GCS}}
	s3         = &cosiv1alpha2.ObjectProtocol{Type: cosiv1alpha2.ObjectProtocol_S3}
	byKey      = &cosiv1alpha2.AuthenticationType{Type: cosiv1alpha2.AuthenticationType_KEY}
)

func someBucket() *v1alpha2.Bucket {
	return &v1alpha2.Bucket{
		ObjectMeta: metav1.ObjectMeta{Name: "bc-1"},
		Spec: v1alpha2.BucketSpec{
			Protocols:  []v1alpha2.Protocol{v1alpha2.ProtocolS3, v1alpha2.ProtocolGCS},
			Parameters: parameters, ExistingBucketID: "existing",
		},
		Status: v1alpha2.BucketStatus{BucketID: "id"},
	}
}

// someAccess is to two buckets, in another order than in the spec, and names a ServiceAccount
// although it authenticates by key.
func someAccess() *v1alpha2.BucketAccess {
	modes := v1alpha2.BucketAccessModes{
		ObjectData: v1alpha2.BucketAccessModeReadWrite, ObjectMetadata: v1alpha2.BucketAccessModeReadOnly,
		BucketMetadata: v1alpha2.BucketAccessModeWriteOnly,
	}
	return &v1alpha2.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{UID: "u"},
		Spec: v1alpha2.BucketAccessSpec{
			Protocol: v1alpha2.ProtocolS3, ServiceAccountName: "app",
			BucketClaims: []v1alpha2.BucketClaimAccess{
				{BucketClaimName: "one", AccessModes: modes},
				{BucketClaimName: "two", AccessModes: v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadOnly}},
			},
		},
		Status: v1alpha2.BucketAccessStatus{
			AccountID: "account", AuthenticationType: v1alpha2.AuthenticationTypeKey, Parameters: parameters,
			AccessedBuckets: []v1alpha2.AccessedBucket{{BucketID: "b2", BucketClaimName: "two"}, {BucketID: "b1", BucketClaimName: "one"}},
		},
	}
}

func accessModes(
	data, objectMetadata, bucketMetadata cosiv1alpha2.AccessMode_Mode,
) *cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket {
	return &cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket{
		ObjectDataAccessMode:     &cosiv1alpha2.AccessMode{Mode: data},
		ObjectMetadataAccessMode: &cosiv1alpha2.AccessMode{Mode: objectMetadata},
		BucketMetadataAccessMode: &cosiv1alpha2.AccessMode{Mode: bucketMetadata},
	}
}

func wantBuckets() []*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket {
	two := accessModes(cosiv1alpha2.AccessMode_READ_ONLY, cosiv1alpha2.AccessMode_ANY, cosiv1alpha2.AccessMode_ANY)
	one := accessModes(cosiv1alpha2.AccessMode_READ_WRITE, cosiv1alpha2.AccessMode_READ_ONLY, cosiv1alpha2.AccessMode_WRITE_ONLY)
	two.BucketId, one.BucketId = "b2", "b1"
	return []*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket{two, one}
}

// TestRequests has every field of every request. Both phases of a bucket, and of an access, get the
// same parameters.
// KEP: USE-2, API-BUCKET-SPEC-4, GRPC-GENERATEBUCKETID-3, GRPC-GENERATEACCESSID-2
func TestRequests(t *testing.T) {
	noLeaks(t)
	d := drivertest.Start(t, "a.test")
	d.AddBucket("existing")
	connected := connect(t, d)
	ctx := t.Context()
	for name, tc := range map[string]struct {
		call func(*driver.Driver) error
		want proto.Message
	}{
		// KEP: GRPC-DRIVERGETINFO-3
		"DriverGetInfo": {func(*driver.Driver) error { return nil }, &cosiv1alpha2.DriverGetInfoRequest{}},
		// KEP: GRPC-GENERATEBUCKETID-6, GRPC-GENERATEBUCKETID-7
		"DriverGenerateBucketId": {
			func(d *driver.Driver) error { _, err := d.GenerateBucketID(ctx, someBucket()); return err },
			&cosiv1alpha2.DriverGenerateBucketIdRequest{Name: "bc-1", Protocols: s3AndGCS, Parameters: parameters},
		},
		// KEP: FLOW-CREATE-3.5, GRPC-GENERATEBUCKETID-7, GRPC-CREATEBUCKET-3
		"DriverCreateBucket": {
			func(d *driver.Driver) error { _, err := d.CreateBucket(ctx, someBucket()); return ignoreAnswer(err) },
			&cosiv1alpha2.DriverCreateBucketRequest{BucketId: "id", Protocols: s3AndGCS, Parameters: parameters},
		},
		// KEP: FLOW-STATIC-1.1, FLOW-STATIC-1.2, GRPC-GETBUCKET-2, GRPC-GETBUCKET-3
		"DriverGetBucket": {
			func(d *driver.Driver) error { _, err := d.GetBucket(ctx, someBucket()); return ignoreAnswer(err) },
			&cosiv1alpha2.DriverGetBucketRequest{BucketId: "existing", Protocols: s3AndGCS, Parameters: parameters},
		},
		// KEP: FLOW-DELETE-3.3.2, GRPC-DELETEBUCKET-1
		"DriverDeleteBucket": {
			func(d *driver.Driver) error { return d.DeleteBucket(ctx, someBucket()) },
			&cosiv1alpha2.DriverDeleteBucketRequest{BucketId: "id", Parameters: parameters},
		},
		// KEP: GRPC-GENERATEACCESSID-4, GRPC-GENERATEACCESSID-5, GRPC-GENERATEACCESSID-8
		// KEP: GRPC-GENERATEACCESSID-10
		"DriverGenerateBucketAccessId": {
			func(d *driver.Driver) error { _, err := d.GenerateBucketAccessID(ctx, someAccess()); return err },
			&cosiv1alpha2.DriverGenerateBucketAccessIdRequest{
				AccountName: "ba-u", Protocol: s3, AuthenticationType: byKey, Parameters: parameters, Buckets: wantBuckets(),
			},
		},
		// KEP: FLOW-GRANT-4.8, API-ACCESS-1, GRPC-GENERATEACCESSID-5, GRPC-GRANT-2, GRPC-GRANT-6
		"DriverGrantBucketAccess": {
			func(d *driver.Driver) error { _, err := d.GrantBucketAccess(ctx, someAccess()); return err },
			&cosiv1alpha2.DriverGrantBucketAccessRequest{
				AccountId: "account", Protocol: s3, AuthenticationType: byKey, Parameters: parameters, Buckets: wantBuckets(),
			},
		},
		// KEP: FLOW-REVOKE-3.3, GRPC-REVOKE-1
		"DriverRevokeBucketAccess": {
			func(d *driver.Driver) error { return d.RevokeBucketAccess(ctx, someAccess()) },
			&cosiv1alpha2.DriverRevokeBucketAccessRequest{
				AccountId: "account", Protocol: s3, AuthenticationType: byKey, Parameters: parameters,
				Buckets: []*cosiv1alpha2.DriverRevokeBucketAccessRequest_AccessedBucket{{BucketId: "b2"}, {BucketId: "b1"}},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := tc.call(connected); err != nil {
				t.Fatal(err)
			}
			calls := d.Calls(name)
			if len(calls) != 1 {
				t.Fatalf("%d calls", len(calls))
			}
			if diff := cmp.Diff(tc.want, calls[0].Request, protocmp.Transform()); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
		})
	}
}

// ignoreAnswer ignores that the driver of these tests does not support GCS.
func ignoreAnswer(err error) error {
	if _, ok := errors.AsType[*connection.InvalidResponseError](err); ok {
		return nil
	}
	return err
}

// TestServiceAccountInEveryRequest: the name is sent for the authentication type ServiceAccount
// only; TestRequests has the others.
// KEP: GRPC-GRANT-2, GRPC-REVOKE-2
func TestServiceAccountInEveryRequest(t *testing.T) {
	noLeaks(t)
	d := drivertest.Start(t, "a.test")
	connected := connect(t, d)
	access := someAccess()
	access.Status.AuthenticationType = v1alpha2.AuthenticationTypeServiceAccount
	_, generated := connected.GenerateBucketAccessID(t.Context(), access)
	_, granted := connected.GrantBucketAccess(t.Context(), access)
	if err := errors.Join(generated, granted, connected.RevokeBucketAccess(t.Context(), access)); err != nil {
		t.Fatal(err)
	}
	for _, call := range d.Calls("DriverGenerateBucketAccessId", "DriverGrantBucketAccess", "DriverRevokeBucketAccess") {
		request, ok := call.Request.(interface {
			GetServiceAccountName() string
			GetAuthenticationType() *cosiv1alpha2.AuthenticationType
		})
		if !ok || request.GetServiceAccountName() != "app" ||
			request.GetAuthenticationType().GetType() != cosiv1alpha2.AuthenticationType_SERVICE_ACCOUNT {
			t.Errorf("%s: %v", call.Method, call.Request)
		}
	}
}
