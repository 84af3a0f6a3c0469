package bucketclaim

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

var suite = phasetest.Suite{
	Version: objectstorage.V1alpha1,
	Kinds: []client.Object{
		&v1alpha1.BucketClaim{}, &v1alpha1.Bucket{}, &v1alpha1.BucketClass{}, &v1alpha1.BucketAccess{},
	},
	Index: Index,
}

const (
	statusPatch  = "patch bucketclaims/status photos (resourceVersion)"
	claimPatch   = "patch bucketclaims photos (resourceVersion)"
	bucketPatch  = "patch buckets brown (resourceVersion)"
	recordsBound = "Normal Bound of BucketClaim photos"
	unready      = "BucketClaim photos: status.bucketReady=false"
)

type phase = func(*attempt, context.Context) error

type phaseCase = phasetest.Entry[*scene]

// scene has a claim and related objects.
type scene struct {
	*phasetest.Case

	class  *v1alpha1.BucketClass
	claim  *v1alpha1.BucketClaim
	bucket *v1alpha1.Bucket
	strict bool
}

func newScene(c *phasetest.Case) *scene { return &scene{Case: c} }

// runTable runs a phase, or several, for the entries of a table; without any, all phases of the
// reconciler.
func runTable(t *testing.T, table []phaseCase, phases ...phase) {
	t.Helper()
	phasetest.RunTable(t, &suite, table, newScene, func(s *scene) phasetest.Outcome {
		return phasetest.Run(s.Case, s.runner(phases), s.claim)
	})
}

// runTableWithoutChanges is runTable for a table without the changes of the objects.
func runTableWithoutChanges(t *testing.T, table []phaseCase, phases ...phase) {
	t.Helper()
	phasetest.RunTable(t, &suite, table, newScene, func(s *scene) phasetest.Outcome {
		got := phasetest.Run(s.Case, s.runner(phases), s.claim)
		got.Changes = nil
		return got
	})
}

func (s *scene) runner(phases []phase) *cosireconcile.Runner[*v1alpha1.BucketClaim] {
	r := &Reconciler{
		Client: s.Client(), Live: s.Live(), Recorder: s.Recorder(), Strict: s.strict,
		APIErrors: cosievents.NewAPIErrors(s.Recorder()), Failures: cosievents.NewFailures(s.Recorder()),
	}
	return phasetest.Walk(r.Runner(), func(p *cosireconcile.Patcher[*v1alpha1.BucketClaim]) *attempt {
		return &attempt{Reconciler: r, Patcher: p, bucket: s.bucket}
	}, phases)
}

// hasClaim makes the claim "photos" of the class "gold", with its finalizer.
func (s *scene) hasClaim(edits ...func(*v1alpha1.BucketClaim)) {
	s.Helper()
	s.claim = phasetest.Make(s.Case, &v1alpha1.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "photos", Finalizers: []string{v1alpha1.BucketClaimFinalizer}},
		Spec:       v1alpha1.BucketClaimSpec{BucketClassName: s.Name("gold"), Protocols: []v1alpha1.Protocol{v1alpha1.ProtocolS3}},
	}, edits...)
}

func deleting(claim *v1alpha1.BucketClaim) { claim.DeletionTimestamp = new(metav1.Now()) }

func withoutFinalizer(claim *v1alpha1.BucketClaim) { claim.Finalizers = nil }

// audited: another component keeps the claim.
func audited(claim *v1alpha1.BucketClaim) {
	claim.Finalizers = append(claim.Finalizers, phasetest.Foreign)
}

func ready(claim *v1alpha1.BucketClaim) { claim.Status.BucketReady = true }

// ofExisting makes the claim name the Bucket "brown", which an administrator creates.
func (s *scene) ofExisting(claim *v1alpha1.BucketClaim) {
	claim.Spec.BucketClassName, claim.Spec.ExistingBucketName = "", s.Name("brown")
}

func (s *scene) bind() {
	s.Helper()
	s.ModifyStatus(s.claim, func() { s.claim.Status.BucketName = s.bucketName() })
}

func (s *scene) bucketName() string {
	if existing := s.claim.Spec.ExistingBucketName; existing != "" {
		return existing
	}
	return v1alpha1.BucketNameForClaim(s.claim.UID)
}

func (s *scene) hasClass(edits ...func(*v1alpha1.BucketClass)) {
	s.Helper()
	s.class = phasetest.Make(s.Case, &v1alpha1.BucketClass{
		ObjectMeta: metav1.ObjectMeta{Name: s.Name("gold")},
		DriverName: "driver.test", DeletionPolicy: v1alpha1.DeletionPolicyDelete, Parameters: map[string]string{"tier": "gold"},
	}, edits...)
}

// hasBucket makes the Bucket of the claim, which exists by then and is bound to it.
func (s *scene) hasBucket(edits ...func(*v1alpha1.Bucket)) {
	s.Helper()
	s.bucket = &v1alpha1.Bucket{
		ObjectMeta: metav1.ObjectMeta{Name: s.bucketName()},
		Spec: v1alpha1.BucketSpec{
			DriverName: "driver.test", BucketClassName: "gold", DeletionPolicy: v1alpha1.DeletionPolicyDelete,
			Protocols: []v1alpha1.Protocol{v1alpha1.ProtocolS3}, BucketClaim: reference(s.claim),
		},
	}
	if s.claim.Spec.ExistingBucketName != "" {
		s.bucket.Spec.DeletionPolicy, s.bucket.Spec.ExistingBucketID = v1alpha1.DeletionPolicyRetain, "old/bucket"
	}
	for _, edit := range edits {
		edit(s.bucket)
	}
	s.Make(s.bucket)
}

// free makes a Bucket refer to no claim.
func free(b *v1alpha1.Bucket) { b.Spec.BucketClaim = &corev1.ObjectReference{} }

func unbound(b *v1alpha1.Bucket) { b.Spec.BucketClaim.UID = "" }

func ofOther(b *v1alpha1.Bucket) { b.Spec.BucketClaim.UID = phasetest.OtherUID }

func retained(b *v1alpha1.Bucket) { b.Spec.DeletionPolicy = v1alpha1.DeletionPolicyRetain }

func deleted(b *v1alpha1.Bucket) { b.Spec.DeletionPolicy = v1alpha1.DeletionPolicyDelete }

func kept(b *v1alpha1.Bucket) { b.Finalizers = []string{v1alpha1.BucketFinalizer} }

func going(b *v1alpha1.Bucket) {
	kept(b)
	b.DeletionTimestamp = new(metav1.Now())
}

// forAzure: the Bucket lacks the protocol of the claim.
func forAzure(b *v1alpha1.Bucket) { b.Spec.Protocols = []v1alpha1.Protocol{v1alpha1.ProtocolAzure} }

func readyBucket(b *v1alpha1.Bucket) { b.Status.BucketReady, b.Status.BucketID = true, "id" }

func (s *scene) hasAccess(edits ...func(*v1alpha1.BucketAccess)) {
	s.Helper()
	phasetest.Make(s.Case, &v1alpha1.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "app"},
		Spec:       v1alpha1.BucketAccessSpec{BucketClaimName: "photos", BucketAccessClassName: "keys", CredentialsSecretName: "app"},
	}, edits...)
}

func toOtherClaim(access *v1alpha1.BucketAccess) { access.Spec.BucketClaimName = "videos" }

// replaceClaim deletes the claim by force, and creates it again under its name.
func (s *scene) replaceClaim(edits ...func(*v1alpha1.BucketClaim)) {
	s.Helper()
	s.ForceRemove(s.claim)
	s.hasClaim(edits...)
}

// found is the outcome for a claim that cannot continue, with an unchanged status.
func found(kind, reason string) phasetest.Outcome {
	return phasetest.Outcome{Events: []string{"Warning FailedCreateBucket of BucketClaim photos"}, Err: kind + " " + reason}
}

func waiting(kind, reason string) phasetest.Outcome {
	return phasetest.Outcome{Events: []string{"Normal " + reason + " of BucketClaim photos"}, Err: kind + " " + reason}
}

func failed(writes ...string) phasetest.Outcome {
	return phasetest.Failed("BucketClaim photos", writes...)
}
