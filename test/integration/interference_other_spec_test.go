package integration_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
)

// otherSpec is an object that is created again, and its expected spec after that.
type otherSpec struct {
	kind   string
	object client.Object
	spec   func() any
	want   any
}

// TestRecreateOtherSpec creates an object of each kind again. The API server accepts the other spec.
func TestRecreateOtherSpec(t *testing.T) {
	t.Parallel()
	access, class, accessClass := completeAccess(), &v1alpha2.BucketClass{}, &v1alpha2.BucketAccessClass{}
	access.Name, access.Status = "app", v1alpha2.BucketAccessStatus{}
	class.Name, class.Spec = "gold", v1alpha2.BucketClassSpec{DriverName: "one.test", DeletionPolicy: v1alpha2.DeletionPolicyRetain}
	accessClass.Name, accessClass.Spec = "keys", v1alpha2.BucketAccessClassSpec{
		DriverName: "one.test", AuthenticationType: v1alpha2.AuthenticationTypeKey, Parameters: map[string]string{"a": "b"},
	}
	open, narrow := claimFor(), claimFor(v1alpha2.ProtocolS3)
	held, _ := bucket().(*v1alpha2.Bucket) // it is one
	testRecreateOtherSpec(t, objectstorage.V1alpha2, map[string]otherSpec{
		"AnyProtocol": {"BucketClaim", open, func() any { return open.Spec.Protocols }, []v1alpha2.Protocol{v1alpha2.ProtocolS3}},
		"OneProtocol": {"BucketClaim", narrow, func() any { return narrow.Spec.Protocols }, []v1alpha2.Protocol{}},
		"BucketAccess": {"BucketAccess", access, func() any { return access.Spec.BucketClaims }, []v1alpha2.BucketClaimAccess{{
			BucketClaimName: "photos", AccessSecretName: "key-edited",
			AccessModes: v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadOnly},
		}}},
		"Bucket": {"Bucket", held, func() any { return held.Spec.DeletionPolicy }, v1alpha2.DeletionPolicyRetain},
		"BucketClass": {"BucketClass", class, func() any { return class.Spec }, v1alpha2.BucketClassSpec{
			DriverName: "one.test", DeletionPolicy: v1alpha2.DeletionPolicyDelete, Parameters: map[string]string{"note": "example.com/edited"},
		}},
		"BucketAccessClass": {"BucketAccessClass", accessClass, func() any { return accessClass.Spec }, v1alpha2.BucketAccessClassSpec{
			DriverName: "one.test", AuthenticationType: v1alpha2.AuthenticationTypeServiceAccount,
			Parameters: map[string]string{"a": "b", "note": "example.com/edited"},
		}},
	})
}

// TestRecreateOtherSpecV1alpha1 creates objects of v1alpha1 again. The fields of its classes are at the top level.
func TestRecreateOtherSpecV1alpha1(t *testing.T) {
	t.Parallel()
	claim := &v1alpha1.BucketClaim{ObjectMeta: metaOf("photos"), Spec: v1alpha1.BucketClaimSpec{
		BucketClassName: "gold", Protocols: []v1alpha1.Protocol{v1alpha1.ProtocolS3},
	}}
	access := &v1alpha1.BucketAccess{ObjectMeta: metaOf("app"), Spec: v1alpha1.BucketAccessSpec{CredentialsSecretName: "key"}}
	class := &v1alpha1.BucketClass{
		ObjectMeta: metav1.ObjectMeta{Name: "gold"}, DriverName: "one.test", DeletionPolicy: v1alpha1.DeletionPolicyDelete,
	}
	accessClass := &v1alpha1.BucketAccessClass{
		ObjectMeta: metav1.ObjectMeta{Name: "keys"}, DriverName: "one.test", AuthenticationType: v1alpha1.AuthenticationTypeKey,
	}
	note := map[string]string{"note": "example.com/edited"}
	testRecreateOtherSpec(t, objectstorage.V1alpha1, map[string]otherSpec{
		"BucketClaim":  {"BucketClaim", claim, func() any { return claim.Spec.Protocols }, []v1alpha1.Protocol{}},
		"BucketAccess": {"BucketAccess", access, func() any { return access.Spec.CredentialsSecretName }, "key-edited"},
		"BucketClass": {
			"BucketClass", class, func() any { return []any{class.DeletionPolicy, class.Parameters} }, []any{v1alpha1.DeletionPolicyRetain, note},
		},
		"BucketAccessClass": {
			"BucketAccessClass", accessClass, func() any { return []any{accessClass.AuthenticationType, accessClass.Parameters} },
			[]any{v1alpha1.AuthenticationTypeIAM, note},
		},
	})
}

func testRecreateOtherSpec(t *testing.T, version objectstorage.Version, tests map[string]otherSpec) {
	t.Helper()
	emu := emulatortest.Start(t, emulator.Options{API: version, NoDriver: true})
	if err := emu.Component(emulator.ComponentController).Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			what := fault.ForceRecreateOtherSpec
			if len(tc.object.GetFinalizers()) == 0 {
				what = fault.RecreateOtherSpec
			}
			if err := emu.Client().Create(t.Context(), tc.object); err != nil {
				t.Fatal(err)
			}
			uid := tc.object.GetUID()
			interfereWith(t, emu, what, tc.kind, tc.object)
			if got, want := look(t, emu, tc.object, uid), (result{exists: true}); !cmp.Equal(want, got, cmp.AllowUnexported(result{})) {
				t.Fatalf("%+v, want another object", got)
			}
			if diff := cmp.Diff(tc.want, tc.spec(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("spec: -want, +got:\n%s", diff)
			}
			release(t, emu, tc.object)
		})
	}
}

func claimFor(protocols ...v1alpha2.Protocol) *v1alpha2.BucketClaim {
	c, _ := claim().(*v1alpha2.BucketClaim) // it is one
	c.Spec.Protocols = protocols
	return c
}
