package registry

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/registry/rest"
)

// TestKeepTimes: an update that changes nothing but the time of its field manager changes nothing.
func TestKeepTimes(t *testing.T) {
	t.Parallel()
	before, now := time.Unix(1000, 0), time.Unix(2000, 0)
	secret := func(at time.Time, data string) *corev1.Secret {
		return &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: "one", ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "alice", Time: &metav1.Time{Time: at}}}},
			Data:       map[string][]byte{"key": []byte(data)},
		}
	}
	for name, tc := range map[string]struct {
		data string
		want time.Time
	}{
		"Same":  {"old", before},
		"Other": {"new", now},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old := secret(before, "old")
			old.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"} // as after the handler
			updated, err := keepTimes(rest.DefaultUpdatedObjectInfo(secret(now, tc.data))).UpdatedObject(t.Context(), old)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(secret(tc.want, tc.data), updated); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
