package binding_test

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/binding"
)

func cluster(t *testing.T, objects ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha2.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
}

func bucket(version string, bound bool) *v1alpha2.Bucket {
	b := &v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Name: "b", UID: "1", ResourceVersion: version}}
	if bound {
		b.Spec.BucketClaimRef.UID = "claim"
	}
	return b
}

func TestGetConfirmed(t *testing.T) {
	tests := map[string]struct {
		reason       string
		cached, live *v1alpha2.Bucket
		want         string // the version that is returned
		requeued     bool
	}{
		"Bound":    {"The cache is enough.", bucket("1", true), nil, "1", false},
		"Lost":     {"Both agree.", nil, nil, "", false},
		"Foreign":  {"Both agree.", bucket("1", false), bucket("1", false), "1", false},
		"LateSeen": {"The cache lacks the Bucket.", nil, bucket("1", true), "1", true},
		"LateGone": {"The cache has a Bucket of the past.", bucket("1", false), nil, "", true},
		"LateEdit": {"The cache has another version.", bucket("1", false), bucket("2", true), "2", true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			reader := func(b *v1alpha2.Bucket) client.Reader {
				if b == nil {
					return cluster(t)
				}
				return cluster(t, b)
			}
			requeued := false
			got, err := binding.GetConfirmed(t.Context(), reader(tc.cached), reader(tc.live), "b",
				func(b *v1alpha2.Bucket) bool { return b.Spec.BucketClaimRef.UID == "claim" }, func() { requeued = true })
			version := ""
			if got != nil {
				version = got.ResourceVersion
			}
			if err != nil || version != tc.want || requeued != tc.requeued {
				t.Errorf("%s version %q, requeued %v, %v; want version %q, requeued %v",
					tc.reason, version, requeued, err, tc.want, tc.requeued)
			}
		})
	}
}

// TestDelete: a Bucket that has changed stays.
func TestDelete(t *testing.T) {
	c := cluster(t, bucket("1", true))
	if err := binding.Delete(t.Context(), c, bucket("2", true)); !apierrors.IsConflict(err) {
		t.Errorf("another version of the Bucket: got %v, want a conflict", err)
	}
	for range 2 { // a Bucket that is gone is no error
		if err := binding.Delete(t.Context(), c, bucket("1", true)); err != nil {
			t.Error(err)
		}
	}
}

// TestCreateTwice returns the Bucket of the faster writer.
func TestCreateTwice(t *testing.T) {
	c := cluster(t, bucket("1", true))
	got, err := binding.Create(t.Context(), c, c, &v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Name: "b"}})
	if err != nil || got.UID != "1" {
		t.Errorf("got %v, %v", got, err)
	}
}
