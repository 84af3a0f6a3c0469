package driver

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

type bucketInfo = cosiv1alpha2.DriverGrantBucketAccessResponse_BucketInfo

// KEP: GRPC-GRANT-3
func TestReadGrant(t *testing.T) {
	access := &v1alpha2.BucketAccess{
		Spec:   v1alpha2.BucketAccessSpec{Protocol: v1alpha2.ProtocolS3},
		Status: v1alpha2.BucketAccessStatus{AccessedBuckets: []v1alpha2.AccessedBucket{{BucketID: "a"}, {BucketID: "b"}}},
	}
	s3 := &cosiv1alpha2.ObjectProtocolAndBucketInfo{S3: &cosiv1alpha2.S3BucketInfo{}}
	a, b := &bucketInfo{BucketId: "a", BucketInfo: s3}, &bucketInfo{BucketId: "b", BucketInfo: s3}
	credentials := &cosiv1alpha2.CredentialInfo{S3: &cosiv1alpha2.S3CredentialInfo{AccessKeyId: "key"}}
	type want struct {
		grant   *Grant
		invalid bool
	}
	good := want{grant: &Grant{
		Buckets: map[string]*cosiv1alpha2.ObjectProtocolAndBucketInfo{"a": s3, "b": s3}, Credentials: credentials,
	}}
	tests := map[string]struct {
		reason      string
		buckets     []*bucketInfo
		credentials *cosiv1alpha2.CredentialInfo
		want        want
	}{
		"Complete":   {"what was asked for", []*bucketInfo{a, b}, credentials, good},
		"OtherOrder": {"the order means nothing", []*bucketInfo{b, a}, credentials, good},
		"Missing":    {"each bucket is needed", []*bucketInfo{a}, credentials, want{invalid: true}},
		"Surplus":    {"no other is expected", []*bucketInfo{a, b, {BucketId: "c", BucketInfo: s3}}, credentials, want{invalid: true}},
		"Twice":      {"which one counts?", []*bucketInfo{a, b, a}, credentials, want{invalid: true}},
		"NilBucket":  {"no panic", []*bucketInfo{nil, a, b}, credentials, want{invalid: true}},
		"NilInfo":    {"a bucket without a protocol", []*bucketInfo{a, {BucketId: "b"}}, credentials, want{invalid: true}},
		"WrongProtocol": {
			"a bucket by another protocol",
			[]*bucketInfo{a, {BucketId: "b", BucketInfo: &cosiv1alpha2.ObjectProtocolAndBucketInfo{Gcs: &cosiv1alpha2.GcsBucketInfo{}}}},
			credentials, want{invalid: true},
		},
		"TwoProtocols": {
			"exactly one is to be set",
			[]*bucketInfo{a, {BucketId: "b", BucketInfo: &cosiv1alpha2.ObjectProtocolAndBucketInfo{
				S3: &cosiv1alpha2.S3BucketInfo{}, Gcs: &cosiv1alpha2.GcsBucketInfo{},
			}}},
			credentials, want{invalid: true},
		},
		// KEP: GRPC-GRANT-4
		"WrongCredentials": {
			"credentials of another protocol", []*bucketInfo{a, b},
			&cosiv1alpha2.CredentialInfo{Azure: &cosiv1alpha2.AzureCredentialInfo{}}, want{invalid: true},
		},
		"TwoCredentials": {
			"credentials of two protocols", []*bucketInfo{a, b},
			&cosiv1alpha2.CredentialInfo{S3: &cosiv1alpha2.S3CredentialInfo{}, Azure: &cosiv1alpha2.AzureCredentialInfo{}}, want{invalid: true},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			response := &cosiv1alpha2.DriverGrantBucketAccessResponse{Buckets: tc.buckets, Credentials: tc.credentials}
			got, err := readGrant(response, access)
			if connection.IsInvalidResponse(err) != tc.want.invalid {
				t.Fatalf("%s: error %v, want invalid response: %t", tc.reason, err, tc.want.invalid)
			}
			if diff := cmp.Diff(tc.want.grant, got, protocmp.Transform()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
	if _, err := readGrant(nil, access); !connection.IsInvalidResponse(err) {
		t.Errorf("no answer at all: %v", err)
	}
}
