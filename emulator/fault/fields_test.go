package fault_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// TestFieldsOfEachGeneration: a fault is valid if the response of either generation has its fields.
// A fault does not name the generation that it is for.
func TestFieldsOfEachGeneration(t *testing.T) {
	for name, tc := range map[string]struct {
		reason    string
		operation string
		set       map[string]any
		says      string
	}{
		"Both":     {reason: "Every generation has it.", operation: "DriverGetInfo", set: map[string]any{"name": "x"}},
		"V1alpha1": {reason: "v1alpha2 has it in the request.", operation: "DriverGrantBucketAccess", set: map[string]any{"account_id": "x"}},
		"V1alpha2": {reason: "v1alpha1 has no protocols.", operation: "DriverCreateBucket", set: map[string]any{"protocols.s3.region": "r"}},
		"OldMap": {
			reason: "A map in v1alpha1.", operation: "DriverGrantBucketAccess", set: map[string]any{"credentials.gcs": map[string]any{}},
		},
		"NewMethod": {reason: "Only v1alpha2 has the method.", operation: "DriverGenerateBucketId", set: map[string]any{"bucket_id": "x"}},
		"BothIDs": {
			reason:    "Both fields of v1alpha1.",
			operation: "DriverCreateBucket", set: map[string]any{"bucket_id": "x", "bucketInfo.s3.region": "r"},
		},
		"Mixed": {
			"No generation has both fields.", "DriverCreateBucket", map[string]any{"bucket_id": "x", "protocols.s3.region": "r"}, "bucketId",
		},
		"Neither":   {"No generation has it.", "DriverGrantBucketAccess", map[string]any{"accountID": "x"}, "accountID"},
		"NewAbsent": {"The message is that of v1alpha2, the newer one.", "DriverGetInfo", map[string]any{"nam": "x"}, "DriverGetInfoResponse"},
		"Type":      {"A number is no name.", "DriverGetInfo", map[string]any{"name": 1}, "name"},
		"NoMethod":  {"The driver has no such method.", "DriverFly", map[string]any{"name": "x"}, "DriverFly"},
		"Pattern":   {"It is no method.", "Driver*Bucket", map[string]any{"bucket_id": "x"}, "needs an operation that is a method of the driver"},
	} {
		t.Run(name, func(t *testing.T) {
			err := fault.Fault{
				Name: "x", Match: fault.Match{Seam: journal.SeamRPC, Operation: tc.operation}, Effect: fault.Effect{Set: tc.set},
			}.Validate()
			switch {
			case tc.says == "" && err != nil:
				t.Errorf("%s\n%v", tc.reason, err)
			case tc.says != "" && (!errors.Is(err, fault.ErrInvalid) || !strings.Contains(err.Error(), tc.says)):
				t.Errorf("%s\nerror %v, want one with %q", tc.reason, err, tc.says)
			}
		})
	}
}

// TestReplaceOldResponse sets fields of a response of v1alpha1, and leaves the others.
func TestReplaceOldResponse(t *testing.T) {
	got := &cosiv1alpha1.DriverGrantBucketAccessResponse{
		AccountId: "ba-1",
		Credentials: map[string]*cosiv1alpha1.CredentialDetails{
			"s3": {Secrets: map[string]string{"accessKeyID": "id", "region": "r"}},
		},
	}
	set := map[string]any{"account_id": "", "credentials.s3.secrets.accessKeyID": "other", "credentials.gcs.secrets.key": "more"}
	if err := (fault.Effect{Set: set}).Replace(got); err != nil {
		t.Fatal(err)
	}
	want := &cosiv1alpha1.DriverGrantBucketAccessResponse{Credentials: map[string]*cosiv1alpha1.CredentialDetails{
		"s3": {Secrets: map[string]string{"accessKeyID": "other", "region": "r"}}, "gcs": {Secrets: map[string]string{"key": "more"}},
	}}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

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
