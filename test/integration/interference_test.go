package integration_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/interference"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

const namespace = "default"

// metaOf is the metadata of an object that something else holds and has marked.
func metaOf(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: name, Namespace: namespace, Labels: map[string]string{"app": "shop"}, Annotations: map[string]string{"note": "mine"},
		Finalizers: []string{"example.com/held"},
	}
}

// result is the state of an object, and the administrator's actions.
type result struct {
	requests []string
	exists   bool
	// same is true if the object is the one that was there before.
	same, deleting bool
}

// TestInterfere has the administrator change one object in each way.
func TestInterfere(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{NoDriver: true})
	stopped := emu.Component(emulator.ComponentController)
	if err := stopped.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	owner := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "owner", Namespace: namespace}}
	if err := emu.Client().Create(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	tests := map[fault.Interference]struct {
		object client.Object
		want   result
		check  func(client.Object) bool
	}{
		fault.Delete:       {claim(), result{[]string{"delete bucketclaims"}, true, true, true}, nil},
		fault.DeleteOrphan: {claim(), result{[]string{"delete bucketclaims Orphan"}, true, true, true}, nil},
		fault.ForceDelete:  {claim(), result{[]string{"delete bucketclaims", "patch bucketclaims"}, false, false, false}, nil},
		fault.Recreate:     {claim(), result{[]string{"delete bucketclaims"}, true, true, true}, nil},
		fault.ForceRecreate: {
			claim(), result{[]string{"delete bucketclaims", "patch bucketclaims", "create bucketclaims"}, true, false, false}, asNew,
		},
		fault.RecreateOtherSpec: {claim(), result{[]string{"delete bucketclaims"}, true, true, true}, nil},
		fault.ForceRecreateOtherSpec: {
			claim(), result{[]string{"delete bucketclaims", "patch bucketclaims", "create bucketclaims"}, true, false, false}, asNew,
		},
		fault.StripFinalizers: {
			claim(), result{[]string{"patch bucketclaims"}, true, true, false}, func(o client.Object) bool { return len(o.GetFinalizers()) == 0 },
		},
		fault.StripOwners: {
			claim(), result{[]string{"patch bucketclaims"}, true, true, false},
			func(o client.Object) bool { return len(o.GetOwnerReferences()) == 0 },
		},
		fault.EditStatus: {
			claim(), result{[]string{"patch bucketclaims/status"}, true, true, false},
			func(o client.Object) bool { return o.(*v1alpha2.BucketClaim).Status.ReadyToUse }, //nolint:forcetypeassert // it is one
		},
		fault.EditMetadata: {
			claim(), result{[]string{"patch bucketclaims"}, true, true, false},
			func(o client.Object) bool { return len(o.GetLabels()) == 2 && len(o.GetAnnotations()) == 2 },
		},
		fault.StripMetadata: {
			claim(), result{[]string{"patch bucketclaims"}, true, true, false},
			func(o client.Object) bool { return len(o.GetLabels())+len(o.GetAnnotations()) == 0 },
		},
		fault.FlipPolicy: {
			bucket(), result{[]string{"patch buckets"}, true, true, false},
			func(o client.Object) bool {
				b, ok := o.(*v1alpha2.Bucket)
				return ok && b.Spec.DeletionPolicy == v1alpha2.DeletionPolicyRetain
			},
		},
		fault.EditData: {
			secret(), result{[]string{"patch secrets"}, true, true, false},
			func(o client.Object) bool {
				s, ok := o.(*corev1.Secret)
				return ok && string(s.Data["key"]) == "edited-secret-value"
			},
		},
		fault.MakeImmutable: {
			secret(), result{[]string{"patch secrets"}, true, true, false},
			func(o client.Object) bool { return *o.(*corev1.Secret).Immutable }, //nolint:forcetypeassert // it is one
		},
	}
	for what, tc := range tests {
		t.Run(string(what), func(t *testing.T) {
			if tc.object.GetNamespace() != "" { // else the garbage collector deletes it
				tc.object.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID}})
			}
			if err := emu.Client().Create(t.Context(), tc.object); err != nil {
				t.Fatal(err)
			}
			uid, mark := tc.object.GetUID(), emu.Journal().Mark()
			interfere(t, emu, what, tc.object)
			got := look(t, emu, tc.object, uid)
			got.requests = requestsSince(t, emu, mark)
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(result{})); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			if tc.check != nil && !tc.check(tc.object) {
				t.Errorf("not as expected: %+v", tc.object)
			}
			release(t, emu, tc.object)
		})
	}
}

// requestsSince returns the requests of the administrator for the fault.
func requestsSince(t *testing.T, emu *emulator.Emulator, mark uint64) (requests []string) {
	t.Helper()
	for _, e := range emu.Journal().Since(mark) {
		if e.Component == vocabulary.Administrator && e.Fault == "f" && !e.Failed() {
			requests = append(requests, e.Operation.Name+propagation(t, e))
		}
	}
	return requests
}

// propagation returns the policy of a deletion, except for Background. Its finalizer on the
// object does not show it: the garbage collector soon removes it.
func propagation(t *testing.T, e journal.Event) string {
	t.Helper()
	if !strings.HasPrefix(e.Operation.Name, "delete ") {
		return ""
	}
	var options metav1.DeleteOptions
	if err := json.Unmarshal(e.Request, &options); err != nil {
		t.Fatal(err)
	}
	if options.PropagationPolicy == nil {
		t.Fatalf("a deletion without a policy: %s", e)
	}
	if *options.PropagationPolicy == metav1.DeletePropagationBackground {
		return ""
	}
	return " " + string(*options.PropagationPolicy)
}

func claim() client.Object {
	return &v1alpha2.BucketClaim{ObjectMeta: metaOf("photos"), Spec: v1alpha2.BucketClaimSpec{BucketClassName: "standard"}}
}

func bucket() client.Object {
	b := &v1alpha2.Bucket{ObjectMeta: metaOf("archive"), Spec: v1alpha2.BucketSpec{
		DriverName: "one.test", DeletionPolicy: v1alpha2.DeletionPolicyDelete,
		BucketClaimRef: v1alpha2.BucketClaimReference{Namespace: namespace, Name: "photos"},
	}}
	b.Namespace = ""
	return b
}

func secret() client.Object {
	return &corev1.Secret{ObjectMeta: metaOf("key"), Data: map[string][]byte{"key": []byte("value")}}
}

// asNew reports whether an object is as its user wrote it.
func asNew(o client.Object) bool {
	return len(o.GetFinalizers())+len(o.GetOwnerReferences()) == 0 && o.GetLabels()["app"] == "shop" && o.GetAnnotations()["note"] == "mine"
}

func kindOf(o client.Object) string {
	switch o.(type) {
	case *v1alpha2.Bucket:
		return "Bucket"
	case *v1alpha2.BucketAccess:
		return "BucketAccess"
	case *corev1.Secret:
		return "Secret"
	default:
		return "BucketClaim"
	}
}

// interfere applies a fault to an object.
func interfere(t *testing.T, emu *emulator.Emulator, what fault.Interference, o client.Object) {
	t.Helper()
	interfereWith(t, emu, what, kindOf(o), o)
}

// interfereWith applies a fault to an object of a kind.
func interfereWith(t *testing.T, emu *emulator.Emulator, what fault.Interference, kind string, o client.Object) {
	t.Helper()
	a, err := interference.New(emu.Config(), emu.Journal(), emu.Info().API)
	if err != nil {
		t.Fatal(err)
	}
	set := fault.NewSet()
	if err := set.Add(fault.Fault{
		Name: "f", Match: fault.Match{Seam: journal.SeamRPC}, Effect: fault.Effect{Interfere: what, Object: kind + "/" + o.GetName()},
	}); err != nil {
		t.Fatal(err)
	}
	a.Interfere(t.Context(), set.At(fault.Operation{Seam: journal.SeamRPC}))
	set.Clear()
	if err := a.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func look(t *testing.T, emu *emulator.Emulator, o client.Object, before types.UID) result {
	t.Helper()
	err := emu.Client().Get(t.Context(), client.ObjectKeyFromObject(o), o)
	if apierrors.IsNotFound(err) {
		return result{}
	}
	if err != nil {
		t.Fatal(err)
	}
	return result{exists: true, same: o.GetUID() == before, deleting: o.GetDeletionTimestamp() != nil}
}

func release(t *testing.T, emu *emulator.Emulator, o client.Object) {
	t.Helper()
	for _, err := range []error{
		emu.Client().Delete(t.Context(), o),
		emu.Client().Patch(t.Context(), o, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))),
	} {
		if client.IgnoreNotFound(err) != nil {
			t.Error(err)
		}
	}
}

// TestRecreate creates an object again when its last finalizer has gone.
func TestRecreate(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{NoDriver: true})
	held := secret()
	if err := emu.Client().Create(t.Context(), held); err != nil {
		t.Fatal(err)
	}
	uid := held.GetUID()
	if err := emu.Faults().Add(fault.Fault{
		Name:   "f",
		Match:  fault.Match{Seam: journal.SeamAPI, Component: emulator.ComponentController, Operation: "patch bucketclaims", Nth: 1},
		Effect: fault.Effect{Interfere: fault.Recreate, Object: "Secret/default/key"},
	}); err != nil {
		t.Fatal(err)
	}
	photos := &v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "photos", Namespace: namespace}, Spec: v1alpha2.BucketClaimSpec{BucketClassName: "standard"},
	}
	created := awaitRequest(t, emu, "delete secrets", func() {
		if err := emu.Client().Create(t.Context(), photos); err != nil {
			t.Fatal(err)
		}
	})
	if !created {
		t.Fatal("the Secret is not deleted")
	}
	if !awaitRequest(t, emu, "create secrets", func() { release(t, emu, held) }) {
		t.Fatal("the Secret is not created again")
	}
	again := secret()
	if err := emu.Client().Get(t.Context(), client.ObjectKeyFromObject(again), again); err != nil || again.GetUID() == uid {
		t.Errorf("the Secret has UID %s, and had %s: %v", again.GetUID(), uid, err)
	}
	release(t, emu, photos)
}

// awaitRequest waits for a request of the administrator after something.
func awaitRequest(t *testing.T, emu *emulator.Emulator, operation string, cause func()) bool {
	t.Helper()
	from := emu.Journal().Mark()
	cause()
	ctx := harness.Context(t)
	for e := range emu.Journal().Follow(ctx, from) {
		if e.Component == vocabulary.Administrator && e.Operation.Name == operation && strings.HasSuffix(e.Operation.Subject, "key") {
			return true
		}
	}
	return false
}
