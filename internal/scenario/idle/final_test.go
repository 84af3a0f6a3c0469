package idle

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// TestMayStay lists objects whose components will not act on them any more.
func TestMayStay(t *testing.T) {
	t.Parallel()
	deleted := metav1.NewTime(time.Now())
	for name, test := range map[string]struct {
		kind       string
		finalizers []string
		deleted    *metav1.Time
		want       bool
	}{
		"a namespace":                       {kind: "Namespace", want: true},
		"a namespace that is being deleted": {kind: "Namespace", deleted: &deleted, want: false},
		"an object with another's finalizer that is being deleted": {
			kind: "BucketClaim", finalizers: []string{"example.com/other"}, deleted: &deleted, want: true,
		},
		"a claim without a failure": {kind: "BucketClaim", finalizers: []string{v1alpha2.ProtectionFinalizer}, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			object := &unstructured.Unstructured{Object: map[string]any{}}
			object.SetKind(test.kind)
			object.SetFinalizers(test.finalizers)
			object.SetDeletionTimestamp(test.deleted)
			if _, got := MayStay(object); got != test.want {
				t.Errorf("MayStay: %t, want %t", got, test.want)
			}
		})
	}
}
