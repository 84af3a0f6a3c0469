package dialects

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// TestWire fixes the numbers that drivers of the earlier dialects were built against.
func TestWire(t *testing.T) {
	s3 := &cosiv1alpha2.ObjectProtocolAndBucketInfo{S3: &cosiv1alpha2.S3BucketInfo{}}
	const text, message = 2, 2 // both have a length
	for name, tc := range map[string]struct {
		message proto.Message
		want    []byte
	}{
		"Bucket": {
			&BucketResponse{BucketId: "b", Protocols: s3},
			[]byte{1<<3 | text, 1, 'b', 2<<3 | message, 2, 1<<3 | message, 0},
		},
		"AccessedBucket": {
			&GrantBucketAccessRequest_AccessedBucket{BucketId: "b", AccessMode: &AccessMode{Mode: AccessMode_WRITE_ONLY}},
			[]byte{1<<3 | text, 1, 'b', 2<<3 | message, 2, 1 << 3, 3},
		},
		"NoMode": {
			&GrantBucketAccessRequest_AccessedBucket{AccessMode: &AccessMode{}},
			[]byte{2<<3 | message, 0},
		},
		"GrantRequest": {
			&GrantBucketAccessRequest{
				AccountName: "a", Protocol: &cosiv1alpha2.ObjectProtocol{}, AuthenticationType: &cosiv1alpha2.AuthenticationType{},
				ServiceAccountName: "s", Parameters: map[string]string{"k": "v"}, Buckets: []*GrantBucketAccessRequest_AccessedBucket{{}},
			},
			[]byte{
				1<<3 | text, 1, 'a', 2<<3 | message, 0, 3<<3 | message, 0, 4<<3 | text, 1, 's',
				5<<3 | message, 6, 1<<3 | text, 1, 'k', 2<<3 | text, 1, 'v', 6<<3 | message, 0,
			},
		},
		"GrantResponse": {
			&GrantBucketAccessResponse{
				AccountId: "a", Buckets: []*cosiv1alpha2.DriverGrantBucketAccessResponse_BucketInfo{{}}, Credentials: &cosiv1alpha2.CredentialInfo{},
			},
			[]byte{1<<3 | text, 1, 'a', 2<<3 | message, 0, 3<<3 | message, 0},
		},
	} {
		got, err := proto.MarshalOptions{Deterministic: true}.Marshal(tc.message)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s on the wire (-want +got):\n%s", name, diff)
		}
	}
}

// TestModes fixes the numbers of the modes, which are not the KEP's.
func TestModes(t *testing.T) {
	want := map[string]int32{"UNKNOWN": 0, "READ_WRITE": 1, "READ_ONLY": 2, "WRITE_ONLY": 3}
	if diff := cmp.Diff(want, AccessMode_Mode_value); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
