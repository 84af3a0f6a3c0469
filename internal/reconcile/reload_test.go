package reconcile

import (
	"context"
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
)

// answers is an API server that has one Bucket, or none.
type answers struct {
	client.Reader

	bucket *v1alpha2.Bucket
}

func (a answers) Get(_ context.Context, key client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	into, ok := object.(*v1alpha2.Bucket)
	if !ok || a.bucket == nil {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "buckets"}, key.Name)
	}
	a.bucket.DeepCopyInto(into)
	return nil
}

func version(uid types.UID, resourceVersion string, policy v1alpha2.DeletionPolicy) *v1alpha2.Bucket {
	return &v1alpha2.Bucket{
		ObjectMeta: metav1.ObjectMeta{Name: "b", UID: uid, ResourceVersion: resourceVersion},
		Spec:       v1alpha2.BucketSpec{DeletionPolicy: policy},
	}
}

func TestReload(t *testing.T) {
	const before, after = v1alpha2.DeletionPolicyDelete, v1alpha2.DeletionPolicyRetain
	cases := []struct {
		name     string
		reason   string
		live     *v1alpha2.Bucket
		notOwned bool
		isWanted func(error) bool
		want     v1alpha2.DeletionPolicy
	}{
		{"same", "nothing has changed", version("1", "7", before), false, isNil, before},
		{"newer", "the cache is behind", version("1", "12", after), false, isNil, after},
		{"older", "the answer is out of date", version("1", "6", after), false, apierrors.IsConflict, before},
		{"another", "it was created again under its name", version("2", "12", after), false, apierrors.IsConflict, before},
		{"gone", "there is nothing to decide about", nil, false, apierrors.IsNotFound, before},
		{"not owned", "another component has it now", version("1", "12", after), true, isDone, after},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			p := newPatcher(&Runner[*v1alpha2.Bucket]{
				Live: answers{bucket: tc.live},
				Owns: func(*v1alpha2.Bucket) bool { return !tc.notOwned },
				Status: func(b *v1alpha2.Bucket) Status {
					return condition.Status{Conditions: &b.Status.Conditions, ReadyToUse: &b.Status.ReadyToUse}
				},
			}, version("1", "7", before))
			if err := p.Reload(t.Context()); !tc.isWanted(err) {
				t.Errorf("%s: error %v", tc.reason, err)
			}
			if got := p.Object.Spec.DeletionPolicy; got != tc.want {
				t.Errorf("%s: the policy is %s, want %s", tc.reason, got, tc.want)
			}
			if p.changed() {
				t.Errorf("%s: a read counts as a change", tc.reason)
			}
		})
	}
}

func isNil(err error) bool { return err == nil }

func isDone(err error) bool { return errors.Is(err, ErrDone) }
