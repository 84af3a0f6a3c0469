package bucket

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func TestAnnounce(t *testing.T) {
	t.Parallel()
	change := func(s *scene) { s.Modify(s.bucket, func() { s.bucket.Labels = map[string]string{"team": "a"} }) }
	announcement := phasetest.Outcome{Writes: []string{announce}, Changes: []string{isAnnounced}}
	cases := []struct {
		name   string
		reason string
		given  func(*scene)
		want   phasetest.Outcome
	}{
		{"not announced", "the sidecar waits for it", func(s *scene) { s.hasBucket() }, announcement},
		{"announced", "nothing is to be done", func(s *scene) { s.hasBucket(announced) }, phasetest.Outcome{}},
		{
			"announced with the KEP's misspelling", "the right annotation is added",
			func(s *scene) {
				s.hasBucket(func(b *v1alpha2.Bucket) {
					b.Annotations = map[string]string{v1alpha2.MisspeltBucketClaimBeingDeletedAnnotation: ""}
				})
			},
			announcement,
		},
		{
			"changed meanwhile", "it may be another Bucket of the name",
			func(s *scene) { s.hasBucket(); s.Before("patch buckets", func() { change(s) }) },
			phasetest.Outcome{Writes: []string{announce + ": Conflict"}, Err: "Conflict"},
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := &scene{Case: suite.New(t)}
			tc.given(s)
			got := s.Do(s.bucket, func(ctx context.Context, found *error) (reconcile.Result, error) {
				*found = Announce(ctx, s.Live(), s.bucket.DeepCopy())
				return reconcile.Result{}, nil
			})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestNameOf(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		reason string
		claim  *v1alpha2.BucketClaim
		want   string
	}{
		{
			"new", "the name follows from the UID, so that a repeated creation finds the first",
			&v1alpha2.BucketClaim{ObjectMeta: metav1.ObjectMeta{UID: "u"}}, "bc-u",
		},
		{
			"existing", "the administrator has named it",
			&v1alpha2.BucketClaim{
				ObjectMeta: metav1.ObjectMeta{UID: "u"}, Spec: v1alpha2.BucketClaimSpec{ExistingBucketName: "brown"},
			}, "brown",
		},
		{
			"edited status", "the status does not count",
			&v1alpha2.BucketClaim{
				ObjectMeta: metav1.ObjectMeta{UID: "u"}, Status: v1alpha2.BucketClaimStatus{BoundBucketName: "elsewhere"},
			}, "bc-u",
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, NameOf(tc.claim)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
