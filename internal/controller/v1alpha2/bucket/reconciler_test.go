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
	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

// The package index imports this one. The reconciler does not need its indexes.
var suite = phasetest.Suite{Kinds: []client.Object{&v1alpha2.BucketClaim{}, &v1alpha2.Bucket{}, &v1alpha2.BucketAccess{}}}

const (
	announce      = "patch buckets b (resourceVersion)"
	isAnnounced   = `Bucket b: metadata.annotations.objectstorage.k8s.io/bucketclaim-being-deleted=""`
	saysGone      = "Normal BucketClaimNotFound of Bucket b"
	recordsFailed = "Warning FailedDeleteBucket of BucketClaim photos"
)

// scene has a Bucket and related objects.
type scene struct {
	*phasetest.Case

	claim  *v1alpha2.BucketClaim
	bucket *v1alpha2.Bucket
	only   []string // namespaces that are served; all by default
}

func newScene(c *phasetest.Case) *scene { return &scene{Case: c} }

func (s *scene) reconcile(ctx context.Context, _ *error) (reconcile.Result, error) { //nolint:gocritic // phasetest.Do calls it
	r := New(s.Client(), s.Live(), s.Recorder(), cosievents.NewAPIErrors(s.Recorder()))
	r.Namespaces = watched.New(s.only)
	return r.Reconcile(ctx, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(s.bucket)})
}

func (s *scene) hasClaim(edits ...func(*v1alpha2.BucketClaim)) {
	s.Helper()
	s.claim = phasetest.Make(s.Case, &v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "photos", Finalizers: []string{v1alpha2.ProtectionFinalizer}},
		Spec:       v1alpha2.BucketClaimSpec{BucketClassName: "gold"},
	}, edits...)
}

func leaving(claim *v1alpha2.BucketClaim) { claim.DeletionTimestamp = new(metav1.Now()) }

func (s *scene) hasBucket(edits ...func(*v1alpha2.Bucket)) {
	s.Helper()
	s.bucket = &v1alpha2.Bucket{
		ObjectMeta: metav1.ObjectMeta{Name: s.Name("b"), Finalizers: []string{v1alpha2.ProtectionFinalizer}},
		Spec: v1alpha2.BucketSpec{
			DriverName: "driver.test", DeletionPolicy: v1alpha2.DeletionPolicyDelete,
			BucketClaimRef: v1alpha2.BucketClaimReference{Namespace: s.Namespace, Name: "photos", UID: phasetest.OtherUID},
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

func ofOther(b *v1alpha2.Bucket) { b.Spec.BucketClaimRef.UID = phasetest.OtherUID }

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

// hasAccess makes an access that was handed off with the existing Bucket.
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
		return phasetest.Failed("Bucket b", writes...)
	}
	table := []phasetest.Entry[*scene]{
		{
			Name: "claim", Reason: "the Bucket is used",
			Given: func(s *scene) { s.hasClaim(); s.hasBucket() },
		},
		{
			Name: "claim, and an annotation", Reason: "the claim tells its user",
			Given: func(s *scene) { s.hasClaim(); s.hasBucket(announced, going, failing) },
		},
		{
			Name: "deleting claim", Reason: "its reconciler announces the Bucket",
			Given: func(s *scene) { s.hasClaim(leaving); s.hasBucket() },
		},
		{
			Name: "no claim yet", Reason: "the Bucket waits for its first claim",
			Given: func(s *scene) { s.hasBucket(unbound) },
		},
		{
			Name: "claim gone", Reason: "an administrator must be able to delete the Bucket",
			Given: func(s *scene) { s.hasBucket() },
			Want:  announcement,
		},
		{
			Name: "claim gone, Bucket deleting", Reason: "its sidecar waits for the announcement",
			Given: func(s *scene) { s.hasBucket(going) },
			Want:  announcement,
		},
		{
			Name: "another claim of the name", Reason: "a claim never comes back",
			Given: func(s *scene) { s.hasClaim(); s.hasBucket(ofOther) },
			Want:  announcement,
		},
		{
			Name: "claim that the cache does not have", Reason: "the API server has it; the watch may have no further event",
			Given: func(s *scene) { s.Behind(func() { s.hasClaim(); s.hasBucket() }, &v1alpha2.BucketClaim{}) },
			Want:  phasetest.Outcome{Requeue: true},
		},
		{
			Name: "claim gone, announced", Reason: "the annotation is there",
			Given: func(s *scene) { s.hasBucket(announced) },
		},
		{
			Name: "access", Reason: "credentials would outlive the bucket",
			Given: func(s *scene) { s.hasBucket(); s.hasAccess() },
		},
		{
			Name: "access that the cache does not have", Reason: "credentials would outlive the bucket",
			Given: func(s *scene) { s.hasBucket(); s.Behind(func() { s.hasAccess() }) },
		},
		{
			Name: "access that was cleaned up", Reason: "it has no credentials any more",
			Given: func(s *scene) { s.hasBucket(); s.hasAccess(cleanedUp) },
			Want:  announcement,
		},
		{
			Name: "access that was never handed off", Reason: "it has no credentials",
			Given: func(s *scene) {
				s.hasBucket()
				s.hasAccess(func(access *v1alpha2.BucketAccess) { access.Status = v1alpha2.BucketAccessStatus{} })
			},
			Want: announcement,
		},
		{
			Name: "access to another Bucket", Reason: "it has no credentials for this one",
			Given: func(s *scene) {
				s.hasBucket()
				s.hasAccess(func(access *v1alpha2.BucketAccess) { access.Status.AccessedBuckets[0].BucketName = "other" })
			},
			Want: announcement,
		},
		{
			Name: "Bucket changed meanwhile", Reason: "it may be another one of the name",
			Given: func(s *scene) {
				s.hasBucket()
				s.Before("patch buckets", func() { s.Label(s.bucket) })
			},
			Want: phasetest.Outcome{Writes: []string{announce + ": Conflict"}, Requeue: true},
		},
		{
			Name: "Bucket gone meanwhile", Reason: "nothing is left to announce",
			Given: func(s *scene) { s.hasBucket(); s.Before("patch buckets", func() { s.ForceRemove(s.bucket) }) },
			Want:  phasetest.Outcome{Writes: []string{announce + ": Not Found"}, Requeue: true},
		},
		{
			Name: "API server fails to read the claim", Reason: "it may exist",
			Given: func(s *scene) { s.hasBucket(); s.Reject("get bucketclaims", http.StatusInternalServerError) },
			Want:  failed(),
		},
		{
			Name: "API server fails to list accesses", Reason: "there may be one",
			Given: func(s *scene) { s.hasBucket(); s.Reject("get bucketaccesses", http.StatusInternalServerError) },
			Want:  failed(),
		},
		{
			Name: "API server fails to announce", Reason: "no Event reports an outcome that did not occur",
			Given: func(s *scene) { s.hasBucket(); s.Reject("patch buckets", http.StatusInternalServerError) },
			Want:  failed(announce + phasetest.ServerFails),
		},
		{
			Name: "deletion fails, claim gone", Reason: "the user of the claim cannot read the Bucket",
			Given: func(s *scene) { s.hasBucket(announced, going, failing) },
			Want:  phasetest.Outcome{Events: []string{recordsFailed}},
		},
		{
			Name: "deletion fails, claim deleting", Reason: "the user of the claim cannot read the Bucket",
			Given: func(s *scene) { s.hasClaim(leaving); s.hasBucket(announced, going, failing) },
			Want:  phasetest.Outcome{Events: []string{recordsFailed}},
		},
		{
			Name: "deletion goes on", Reason: "nothing has failed",
			Given: func(s *scene) { s.hasBucket(announced, going) },
		},
		{
			Name: "claim gone from a served namespace", Reason: "an administrator must be able to delete the Bucket",
			Given: func(s *scene) { s.only = []string{s.Namespace}; s.hasBucket() },
			Want:  announcement,
		},
		{
			Name: "claim of a namespace that is not served", Reason: "the controller does not see the claim, which does not mean that it is gone",
			Given: func(s *scene) { s.only = []string{"elsewhere"}; s.hasBucket() },
		},
		{
			Name: "claim of a namespace that the cache does not have", Reason: "it cannot be asked about the claim",
			Given: func(s *scene) {
				s.only = []string{s.Namespace}
				s.hasBucket(func(b *v1alpha2.Bucket) { b.Spec.BucketClaimRef.Namespace = "elsewhere" })
			},
		},
		{
			Name: "deletion fails, claim of a namespace that is not served", Reason: "another controller tells its user",
			Given: func(s *scene) { s.only = []string{"elsewhere"}; s.hasBucket(announced, going, failing) },
		},
		{
			Name: "failure before the deletion", Reason: "the claim has told it",
			Given: func(s *scene) { s.hasBucket(announced, failing) },
		},
	}
	phasetest.RunTable(t, &suite, table, newScene, func(s *scene) phasetest.Outcome { return s.Do(s.bucket, s.reconcile) })
}

func TestReconcileGone(t *testing.T) {
	t.Parallel()
	s := &scene{Case: suite.New(t)}
	s.bucket = &v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Name: s.Name("gone")}}
	if diff := cmp.Diff(phasetest.Outcome{}, s.Do(s.bucket, s.reconcile)); diff != "" {
		t.Errorf("a Bucket that is gone needs nothing (-want +got):\n%s", diff)
	}
}
