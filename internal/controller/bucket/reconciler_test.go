package bucket

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

// The package index imports this one. The reconciler does not need its indexes.
var suite = phasetest.Suite{Kinds: []client.Object{&v1alpha2.BucketClaim{}, &v1alpha2.Bucket{}, &v1alpha2.BucketAccess{}}}

const (
	// otherUID is the UID of a claim that does not exist.
	otherUID = "00000000-0000-0000-0000-000000000001"

	announce    = "patch buckets b (resourceVersion)"
	isAnnounced = `Bucket b: metadata.annotations.objectstorage.k8s.io/bucketclaim-being-deleted=""`
	saysGone    = "Normal BucketClaimNotFound of Bucket b"
	saysFailed  = "Warning FailedDeleteBucket of BucketClaim photos"
)

// scene is a Bucket, and what is around it.
type scene struct {
	*phasetest.Case

	claim  *v1alpha2.BucketClaim
	bucket *v1alpha2.Bucket
}

func (s *scene) reconcile(ctx context.Context, _ *error) (reconcile.Result, error) { //nolint:gocritic // phasetest.Do calls it
	r := New(s.Client(), s.Live(), s.Recorder(), cosievents.NewAPIErrors(s.Recorder()))
	return r.Reconcile(ctx, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(s.bucket)})
}

// hasClaim makes the claim "photos".
func (s *scene) hasClaim(edits ...func(*v1alpha2.BucketClaim)) {
	s.Helper()
	s.claim = &v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "photos", Finalizers: []string{v1alpha2.ProtectionFinalizer}},
		Spec:       v1alpha2.BucketClaimSpec{BucketClassName: "gold"},
	}
	for _, edit := range edits {
		edit(s.claim)
	}
	s.Make(s.claim)
}

func leaving(claim *v1alpha2.BucketClaim) { claim.DeletionTimestamp = new(metav1.Now()) }

// hasBucket makes the Bucket "b". It is bound to the claim, or to one that is gone.
func (s *scene) hasBucket(edits ...func(*v1alpha2.Bucket)) {
	s.Helper()
	s.bucket = &v1alpha2.Bucket{
		ObjectMeta: metav1.ObjectMeta{Name: s.Name("b"), Finalizers: []string{v1alpha2.ProtectionFinalizer}},
		Spec: v1alpha2.BucketSpec{
			DriverName: "driver.test", DeletionPolicy: v1alpha2.DeletionPolicyDelete,
			BucketClaimRef: v1alpha2.BucketClaimReference{Namespace: s.Namespace, Name: "photos", UID: otherUID},
		},
	}
	if s.claim != nil {
		s.bucket.Spec.BucketClaimRef.UID = s.claim.UID
	}
	for _, edit := range edits {
		edit(s.bucket)
	}
	s.Make(s.bucket)
}

func ofOther(b *v1alpha2.Bucket) { b.Spec.BucketClaimRef.UID = otherUID }

func unbound(b *v1alpha2.Bucket) { b.Spec.BucketClaimRef.UID = "" }

func announced(b *v1alpha2.Bucket) {
	metav1.SetMetaDataAnnotation(&b.ObjectMeta, v1alpha2.BucketClaimBeingDeletedAnnotation, "")
}

func going(b *v1alpha2.Bucket) { b.DeletionTimestamp = new(metav1.Now()) }

func failing(b *v1alpha2.Bucket) {
	meta.SetStatusCondition(&b.Status.Conditions, metav1.Condition{
		Type: v1alpha2.ConditionProvisionFailed, Status: metav1.ConditionTrue, Reason: v1alpha2.ReasonDriverError, Message: "not empty",
	})
}

// hasAccess makes an access that was handed off with the Bucket, which exists by then.
func (s *scene) hasAccess(edits ...func(*v1alpha2.BucketAccess)) {
	s.Helper()
	access := &v1alpha2.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "app", Finalizers: []string{v1alpha2.ProtectionFinalizer}},
		Spec: v1alpha2.BucketAccessSpec{
			BucketAccessClassName: "keys", Protocol: v1alpha2.ProtocolS3,
			BucketClaims: []v1alpha2.BucketClaimAccess{{
				BucketClaimName: "photos", AccessSecretName: "app",
				AccessModes: v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite},
			}},
		},
	}
	access.Status.DriverName = "driver.test"
	access.Status.AccessedBuckets = []v1alpha2.AccessedBucket{{BucketName: s.bucket.Name, BucketID: "id", BucketClaimName: "photos"}}
	for _, edit := range edits {
		edit(access)
	}
	s.Make(access)
}

func cleanedUp(access *v1alpha2.BucketAccess) {
	access.DeletionTimestamp = new(metav1.Now())
	metav1.SetMetaDataAnnotation(&access.ObjectMeta, v1alpha2.SidecarCleanupFinishedAnnotation, "")
}

func TestReconcile(t *testing.T) {
	t.Parallel()
	announcement := phasetest.Outcome{Writes: []string{announce}, Changes: []string{isAnnounced}, Events: []string{saysGone}}
	failed := func(writes ...string) phasetest.Outcome {
		return phasetest.Outcome{
			Writes: writes, Events: []string{"Warning APIError of Bucket b"}, Err: "InternalError", Requeue: true,
		}
	}
	cases := []struct {
		name   string
		reason string
		given  func(*scene)
		want   phasetest.Outcome
	}{
		{
			name: "claim", reason: "the Bucket is used",
			given: func(s *scene) { s.hasClaim(); s.hasBucket() },
		},
		{
			name: "claim, and an annotation", reason: "the claim tells its user",
			given: func(s *scene) { s.hasClaim(); s.hasBucket(announced, going, failing) },
		},
		{
			name: "deleting claim", reason: "its reconciler announces the Bucket",
			given: func(s *scene) { s.hasClaim(leaving); s.hasBucket() },
		},
		{
			name: "no claim yet", reason: "the Bucket waits for its first claim",
			given: func(s *scene) { s.hasBucket(unbound) },
		},
		{
			name: "claim gone", reason: "an administrator must be able to delete the Bucket",
			given: func(s *scene) { s.hasBucket() },
			want:  announcement,
		},
		{
			name: "claim gone, Bucket deleting", reason: "its sidecar waits for the announcement",
			given: func(s *scene) { s.hasBucket(going) },
			want:  announcement,
		},
		{
			name: "another claim of the name", reason: "a claim never comes back",
			given: func(s *scene) { s.hasClaim(); s.hasBucket(ofOther) },
			want:  announcement,
		},
		{
			name: "claim that the cache does not have", reason: "the API server has it; the watch may have no further event",
			given: func(s *scene) { s.Behind(func() { s.hasClaim(); s.hasBucket() }, &v1alpha2.BucketClaim{}) },
			want:  phasetest.Outcome{Requeue: true},
		},
		{
			name: "claim gone, announced", reason: "the annotation is there",
			given: func(s *scene) { s.hasBucket(announced) },
		},
		{
			name: "access", reason: "credentials would outlive the bucket",
			given: func(s *scene) { s.hasBucket(); s.hasAccess() },
		},
		{
			name: "access that the cache does not have", reason: "credentials would outlive the bucket",
			given: func(s *scene) { s.hasBucket(); s.Behind(func() { s.hasAccess() }) },
		},
		{
			name: "access that was cleaned up", reason: "it has no credentials any more",
			given: func(s *scene) { s.hasBucket(); s.hasAccess(cleanedUp) },
			want:  announcement,
		},
		{
			name: "access that was never handed off", reason: "it has no credentials",
			given: func(s *scene) {
				s.hasBucket()
				s.hasAccess(func(access *v1alpha2.BucketAccess) { access.Status = v1alpha2.BucketAccessStatus{} })
			},
			want: announcement,
		},
		{
			name: "access to another Bucket", reason: "it has no credentials for this one",
			given: func(s *scene) {
				s.hasBucket()
				s.hasAccess(func(access *v1alpha2.BucketAccess) { access.Status.AccessedBuckets[0].BucketName = "other" })
			},
			want: announcement,
		},
		{
			name: "Bucket changed meanwhile", reason: "it may be another one of the name",
			given: func(s *scene) {
				s.hasBucket()
				s.Before("patch buckets", func() { s.Modify(s.bucket, func() { s.bucket.Labels = map[string]string{"team": "a"} }) })
			},
			want: phasetest.Outcome{Writes: []string{announce + ": Conflict"}, Requeue: true},
		},
		{
			name: "Bucket gone meanwhile", reason: "nothing is left to announce",
			given: func(s *scene) { s.hasBucket(); s.Before("patch buckets", func() { s.ForceRemove(s.bucket) }) },
			want:  phasetest.Outcome{Writes: []string{announce + ": Not Found"}, Requeue: true},
		},
		{
			name: "API server fails to read the claim", reason: "it may exist",
			given: func(s *scene) { s.hasBucket(); s.Reject("get bucketclaims", http.StatusInternalServerError) },
			want:  failed(),
		},
		{
			name: "API server fails to list accesses", reason: "there may be one",
			given: func(s *scene) { s.hasBucket(); s.Reject("get bucketaccesses", http.StatusInternalServerError) },
			want:  failed(),
		},
		{
			name: "API server fails to announce", reason: "no Event says what did not happen",
			given: func(s *scene) { s.hasBucket(); s.Reject("patch buckets", http.StatusInternalServerError) },
			want:  failed(announce + ": Internal Server Error"),
		},
		{
			name: "deletion fails, claim gone", reason: "the user of the claim cannot read the Bucket",
			given: func(s *scene) { s.hasBucket(announced, going, failing) },
			want:  phasetest.Outcome{Events: []string{saysFailed}},
		},
		{
			name: "deletion fails, claim deleting", reason: "the user of the claim cannot read the Bucket",
			given: func(s *scene) { s.hasClaim(leaving); s.hasBucket(announced, going, failing) },
			want:  phasetest.Outcome{Events: []string{saysFailed}},
		},
		{
			name: "deletion goes on", reason: "nothing has failed",
			given: func(s *scene) { s.hasBucket(announced, going) },
		},
		{
			name: "failure before the deletion", reason: "the claim has told it",
			given: func(s *scene) { s.hasBucket(announced, failing) },
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := &scene{Case: suite.New(t)}
			tc.given(s)
			if diff := cmp.Diff(tc.want, s.Do(s.bucket, s.reconcile)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestReconcileGone(t *testing.T) {
	t.Parallel()
	s := &scene{Case: suite.New(t)}
	s.bucket = &v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Name: s.Name("gone")}}
	if diff := cmp.Diff(phasetest.Outcome{}, s.Do(s.bucket, s.reconcile)); diff != "" {
		t.Errorf("a Bucket that is gone needs nothing (-want +got):\n%s", diff)
	}
}
