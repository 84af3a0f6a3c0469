package fault_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// TestReplaceByName sets fields by both of their names.
func TestReplaceByName(t *testing.T) {
	tests := map[string]struct {
		reason string
		set    map[string]any
	}{
		"JSON":  {reason: "As the journal has it.", set: map[string]any{"protocols.s3.bucketId": "b", "protocols.s3.region": "r"}},
		"Proto": {reason: "As the definition has it.", set: map[string]any{"protocols.s3.bucket_id": "b", "protocols.s3.region": "r"}},
		"Value": {reason: "In the value.", set: map[string]any{"protocols.s3": map[string]any{"bucket_id": "b", "region": "r"}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := &cosiv1alpha2.DriverCreateBucketResponse{Protocols: &cosiv1alpha2.ObjectProtocolAndBucketInfo{
				S3: &cosiv1alpha2.S3BucketInfo{BucketId: "a", Region: "old"},
			}}
			if err := (fault.Effect{Set: tc.set}).Replace(got); err != nil {
				t.Fatal(err)
			}
			want := &cosiv1alpha2.DriverCreateBucketResponse{Protocols: &cosiv1alpha2.ObjectProtocolAndBucketInfo{
				S3: &cosiv1alpha2.S3BucketInfo{BucketId: "b", Region: "r"},
			}}
			if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
