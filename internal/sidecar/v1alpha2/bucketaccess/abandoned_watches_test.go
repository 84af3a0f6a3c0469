package bucketaccess_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

func TestKeep(t *testing.T) {
	t.Parallel()
	type kept struct {
		Annotations map[string]string
		Finalizers  []string
	}
	reference := map[string]string{v1alpha2.BucketAccessReferenceAnnotation: "ns/app", v1alpha2.DriverNameAnnotation: "driver.test"}
	ours := kept{reference, []string{v1alpha2.ProtectionFinalizer}}
	for _, tc := range []struct {
		name, reason string
		edits        []func(*corev1.Secret)
		want         kept
	}{
		{"Secret of the driver", "its events are needed", nil, ours},
		{"another component's metadata", "it is not needed", []func(*corev1.Secret){held, func(secret *corev1.Secret) {
			secret.Annotations["example.com/team"] = "a"
		}}, ours},
		{"Secret of another driver", "the cache has the Secrets of the whole cluster", []func(*corev1.Secret){ofOtherDriver}, kept{}},
		{"Secret of a user", "the cache has the Secrets of the whole cluster", []func(*corev1.Secret){stripped, withoutReference}, kept{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
				Namespace: "ns", Name: "app", Finalizers: []string{v1alpha2.ProtectionFinalizer},
				Annotations: map[string]string{
					v1alpha2.BucketAccessReferenceAnnotation: "ns/app", v1alpha2.DriverNameAnnotation: "driver.test",
				},
			}}
			for _, edit := range tc.edits {
				edit(secret)
			}
			var got kept
			got.Annotations, got.Finalizers = accesses().Keep(secret)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			metadata := &metav1.PartialObjectMetadata{ObjectMeta: secret.ObjectMeta}
			isNew := accesses().SecretPredicate().Create(event.TypedCreateEvent[*metav1.PartialObjectMetadata]{Object: metadata})
			isGone := accesses().SecretPredicate().Delete(event.TypedDeleteEvent[*metav1.PartialObjectMetadata]{Object: metadata})
			if want := len(tc.want.Finalizers) > 0; isNew != want || isGone {
				t.Errorf("a new Secret: selected %t, want %t; one that is gone: selected %t, want false", isNew, want, isGone)
			}
		})
	}
}

// TestAccessPredicate: only the end of an access causes a reconcile of its Secrets.
func TestAccessPredicate(t *testing.T) {
	t.Parallel()
	selects, access := accesses().AccessPredicate(), &v1alpha2.BucketAccess{}
	got := []bool{
		selects.Create(event.TypedCreateEvent[*v1alpha2.BucketAccess]{Object: access}),
		selects.Update(event.TypedUpdateEvent[*v1alpha2.BucketAccess]{ObjectOld: access, ObjectNew: access}),
		selects.Delete(event.TypedDeleteEvent[*v1alpha2.BucketAccess]{Object: access}),
	}
	if diff := cmp.Diff([]bool{false, false, true}, got); diff != "" {
		t.Errorf("created, updated, deleted (-want +got):\n%s", diff)
	}
}
