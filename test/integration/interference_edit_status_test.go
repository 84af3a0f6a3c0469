package integration_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// TestEditStatus edits statuses that are complete: the API server rejects each change of an
// immutable field, and accepts the others.
func TestEditStatus(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{NoDriver: true})
	stopped := emu.Component(emulator.ComponentController)
	if err := stopped.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	bound, granted, provisioned := completeClaim(), completeAccess(), completeBucket()
	for name, tc := range map[string]struct {
		object client.Object
		want   []string // the outcomes
		edited func() any
		is     any
	}{
		"BucketClaim": {
			bound, []string{"OK", "Invalid"}, func() any { return bound.Status },
			v1alpha2.BucketClaimStatus{
				ReadyToUse: false, BoundBucketName: "archive", Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolAzure, v1alpha2.ProtocolGCS},
			},
		},
		"BucketAccess": {
			granted, []string{"OK", "Invalid", "Invalid", "Invalid", "Invalid", "Invalid"}, func() any { return granted.Status },
			func() any { s := completeAccess().Status; s.ReadyToUse = false; return s }(),
		},
		"Bucket": {
			provisioned, []string{"OK", "Invalid"}, func() any { return provisioned.Status },
			func() any { s := completeBucket().Status; s.ReadyToUse = false; return s }(),
		},
	} {
		t.Run(name, func(t *testing.T) {
			status, _ := tc.object.DeepCopyObject().(client.Object) // it is one
			if err := emu.Client().Create(t.Context(), tc.object); err != nil {
				t.Fatal(err)
			}
			status.SetResourceVersion(tc.object.GetResourceVersion())
			if err := emu.Client().Status().Update(t.Context(), status); err != nil {
				t.Fatal(err)
			}
			mark := emu.Journal().Mark()
			interfere(t, emu, fault.EditStatus, tc.object)
			var got []string
			for _, e := range emu.Journal().Since(mark) {
				if e.Component == vocabulary.Administrator {
					got = append(got, e.Outcome)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("outcomes: -want, +got:\n%s", diff)
			}
			if err := emu.Client().Get(t.Context(), client.ObjectKeyFromObject(tc.object), tc.object); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.is, tc.edited(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("the status: -want, +got:\n%s", diff)
			}
			release(t, emu, tc.object)
		})
	}
}

func completeClaim() *v1alpha2.BucketClaim {
	return &v1alpha2.BucketClaim{
		ObjectMeta: metaOf("complete"), Spec: v1alpha2.BucketClaimSpec{BucketClassName: "standard"},
		Status: v1alpha2.BucketClaimStatus{ReadyToUse: true, BoundBucketName: "archive", Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3}},
	}
}

func completeBucket() *v1alpha2.Bucket {
	b, _ := bucket().(*v1alpha2.Bucket) // it is one
	b.Name = "complete"
	b.Status = v1alpha2.BucketStatus{ReadyToUse: true, BucketID: "id", Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3}}
	return b
}

func completeAccess() *v1alpha2.BucketAccess {
	return &v1alpha2.BucketAccess{
		ObjectMeta: metaOf("complete"),
		Spec: v1alpha2.BucketAccessSpec{
			BucketAccessClassName: "standard", Protocol: v1alpha2.ProtocolS3,
			BucketClaims: []v1alpha2.BucketClaimAccess{{
				BucketClaimName: "photos", AccessSecretName: "key",
				AccessModes: v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite},
			}},
		},
		Status: v1alpha2.BucketAccessStatus{
			ReadyToUse: true, AccountID: "account", DriverName: "one.test", AuthenticationType: v1alpha2.AuthenticationTypeKey,
			AccessedBuckets: []v1alpha2.AccessedBucket{{BucketName: "archive", BucketID: "id", BucketClaimName: "photos"}},
			Parameters:      map[string]string{"a": "b"},
		},
	}
}
