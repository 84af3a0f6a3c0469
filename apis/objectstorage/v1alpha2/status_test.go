package v1alpha2_test

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// withStatus are manifests of the kinds with a status.
var withStatus = map[string]string{
	"Bucket":       bucket,
	"BucketClaim":  bucketClaim,
	"BucketAccess": bucketAccess,
}

// statusOfAll are the rules that every status has.
func statusOfAll() []row {
	return join(
		mutable("status.readyToUse", false, true),
		required("status.readyToUse"),
		[]row{rejects("status.readyToUse", "a word", "yes")},
		optional("status.conditions"),
		conditions(),
		[]row{{
			name: "the status may be removed while nothing in it has to stay",
			from: []edit{set("status.conditions", []any{condition("Provisioned", "Unknown")})}, edits: []edit{remove("status")},
		}},
	)
}

// writtenOnce is a field of the status that cannot change after it is set, nor disappear with the
// status as a whole.
func writtenOnce(path string, before, after any) []row {
	return append(setOnce(path, before, after), withholds(path, before))
}

// withholds: the status cannot be removed while the field is set.
func withholds(path string, value any) row {
	return row{
		name: path + " keeps the status from being removed", from: []edit{set(path, value)}, edits: []edit{remove("status")},
		rejected: []string{"status"}, says: "status cannot be removed",
	}
}

func conditions() []row {
	const path = "status.conditions"
	return []row{
		accepts(path, "one of each type", []any{condition("Provisioned", "True"), condition("ProvisionFailed", "False")}),
		rejects(path, "two of a type", []any{condition("Provisioned", "True"), condition("Provisioned", "False")}, path+"[1]"),
		rejects(path, "another status", []any{condition("Provisioned", "Maybe")}, path+"[0].status"),
		rejects(path, "a reason of two words", []any{reason("not a word")}, path+"[0].reason"),
		rejects(path, "no reason", []any{reason("")}, path+"[0].reason"),
	}
}

func condition(kind, status string) map[string]any {
	return map[string]any{
		"type": kind, "status": status, "reason": "Pending", "message": "",
		"lastTransitionTime": "2026-01-02T03:04:05Z", "observedGeneration": int64(1),
	}
}

func reason(word string) map[string]any {
	c := condition("Provisioned", "Unknown")
	c["reason"] = word
	return c
}

// TestStatusIsSeparate checks that spec and status are written by separate requests.
func TestStatusIsSeparate(t *testing.T) {
	s := newServer(t)
	for kind, manifest := range withStatus {
		t.Run(kind, func(t *testing.T) {
			obj := s.created(t, manifest, set("status.readyToUse", true))
			if status, found := obj.Object["status"]; found {
				t.Errorf("the object was created with status %v, want none", status)
			}

			written := obj.DeepCopy()
			apply(t, written, []edit{
				set("status.readyToUse", true), set("metadata.labels.team", "storage"), set("spec", map[string]any{}),
			})
			if err := s.Status().Update(t.Context(), written); err != nil {
				t.Fatal(err)
			}
			if !ready(t, written) || len(written.GetLabels()) != 0 {
				t.Errorf("after an update of the status: ready %t, labels %v, want the status alone", ready(t, written), written.GetLabels())
			}
			if diff := cmp.Diff(obj.Object["spec"], written.Object["spec"]); diff != "" {
				t.Errorf("an update of the status changed the spec (-before +after):\n%s", diff)
			}

			apply(t, written, []edit{set("status.readyToUse", false), set("metadata.labels.team", "storage")})
			if err := s.Update(t.Context(), written); err != nil {
				t.Fatal(err)
			}
			if !ready(t, written) || len(written.GetLabels()) != 1 {
				t.Errorf("after an update: ready %t, labels %v, want the labels alone", ready(t, written), written.GetLabels())
			}
		})
	}
}

func ready(t *testing.T, obj *unstructured.Unstructured) bool {
	t.Helper()
	value, _, err := unstructured.NestedBool(obj.Object, "status", "readyToUse")
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// TestClassesHaveNoStatus checks that kinds without status have no status subresource.
// KEP: API-CLASS-4, API-ACCESSCLASS-7, EVENT-CLASS-1
func TestClassesHaveNoStatus(t *testing.T) {
	s := newServer(t)
	for kind, manifest := range map[string]string{"BucketClass": bucketClass, "BucketAccessClass": bucketAccessClass} {
		t.Run(kind, func(t *testing.T) {
			obj := s.created(t, manifest)
			if err := s.Status().Update(t.Context(), obj); !apierrors.IsNotFound(err) {
				t.Errorf("update of the status: %v, want not found", err)
			}
		})
	}
}

// TestUnknownStatusFields checks that strict validation rejects a misspelt field of a status, too.
func TestUnknownStatusFields(t *testing.T) {
	s := newServer(t)
	for kind, manifest := range withStatus {
		t.Run(kind, func(t *testing.T) {
			obj := s.created(t, manifest)
			apply(t, obj, []edit{set("status.readyToUse", true), set("status.colour", "red")})
			if err := s.Status().Update(t.Context(), obj, client.DryRunAll); !apierrors.IsBadRequest(err) {
				t.Errorf("update of the status, strictly: %v, want a bad request", err)
			}
		})
	}
}

// TestUnknownFields checks that strict validation, as kubectl requests it, rejects a misspelt
// field, and that otherwise the field is dropped.
func TestUnknownFields(t *testing.T) {
	s := newServer(t)
	manifests := map[string]string{"BucketClass": bucketClass, "BucketAccessClass": bucketAccessClass}
	maps.Copy(manifests, withStatus)
	for kind, manifest := range manifests {
		t.Run(kind, func(t *testing.T) {
			for _, path := range []string{"spec.colour", "colour"} {
				err := s.Create(t.Context(), object(t, manifest, set(path, "red")), client.DryRunAll)
				if !apierrors.IsBadRequest(err) {
					t.Errorf("create with %s, strictly: %v, want a bad request", path, err)
				}
			}
			obj := object(t, manifest, set("spec.colour", "red"))
			if err := s.Create(t.Context(), obj, client.DryRunAll, client.FieldValidation("Ignore")); err != nil {
				t.Fatal(err)
			}
			colour, found, err := unstructured.NestedString(obj.Object, "spec", "colour")
			if err != nil || found {
				t.Errorf("spec.colour is kept as %q, want it pruned: %v", colour, err)
			}
		})
	}
}

// TestStatusAsJSON checks the status that Go programs send. The schema requires readyToUse in each
// status, so false is sent, too; a program that creates an object sends no status.
func TestStatusAsJSON(t *testing.T) {
	pending := []metav1.Condition{{Type: v1alpha2.ConditionProvisioned, Status: metav1.ConditionUnknown}}
	cases := []struct {
		name           string
		empty, pending runtime.Object
	}{
		{name: "Bucket", empty: &v1alpha2.Bucket{}, pending: &v1alpha2.Bucket{Status: v1alpha2.BucketStatus{Conditions: pending}}},
		{
			name: "BucketClaim", empty: &v1alpha2.BucketClaim{},
			pending: &v1alpha2.BucketClaim{Status: v1alpha2.BucketClaimStatus{Conditions: pending}},
		},
		{
			name: "BucketAccess", empty: &v1alpha2.BucketAccess{},
			pending: &v1alpha2.BucketAccess{Status: v1alpha2.BucketAccessStatus{Conditions: pending}},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if status, found := toJSON(t, c.empty)["status"]; found {
				t.Errorf("an empty status is sent as %v, want none", status)
			}
			status, ok := toJSON(t, c.pending)["status"].(map[string]any)
			if !ok {
				t.Fatal("a status with a condition is not sent")
			}
			delete(status, "conditions")
			if diff := cmp.Diff(map[string]any{"readyToUse": false}, status); diff != "" {
				t.Errorf("status without its conditions (-want +got):\n%s", diff)
			}
		})
	}
}

func toJSON(t *testing.T, obj runtime.Object) map[string]any {
	t.Helper()
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		t.Fatal(err)
	}
	return fields
}
