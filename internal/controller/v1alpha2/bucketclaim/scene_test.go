package bucketclaim

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/index"
	"github.com/cosi-emu/cosi-emu/internal/controller/v1alpha2/bucket"
	"github.com/cosi-emu/cosi-emu/internal/controller/v1alpha2/claimprotection"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

var suite = phasetest.Suite{
	Kinds: []client.Object{
		&v1alpha2.BucketClaim{}, &v1alpha2.Bucket{}, &v1alpha2.BucketClass{}, &v1alpha2.BucketAccess{},
	},
	Index: index.Register,
}

const (
	statusPatch = "patch bucketclaims/status photos (resourceVersion)"
	claimPatch  = "patch bucketclaims photos (resourceVersion)"
)

type phase = func(*attempt, context.Context) error

type phaseCase = phasetest.Entry[*scene]

// scene has a claim and related objects.
type scene struct {
	*phasetest.Case

	class  *v1alpha2.BucketClass
	claim  *v1alpha2.BucketClaim
	bucket *v1alpha2.Bucket
}

func newScene(c *phasetest.Case) *scene { return &scene{Case: c} }

func runTable(t *testing.T, table []phaseCase, phases ...phase) {
	t.Helper()
	phasetest.RunTable(t, &suite, table, newScene, func(s *scene) phasetest.Outcome {
		return phasetest.Run(s.Case, s.runner(phases), s.claim)
	})
}

func (s *scene) runner(phases []phase) *cosireconcile.Runner[*v1alpha2.BucketClaim] {
	cached, live := s.Client(), s.Live()
	r := &Reconciler{
		Client: cached, Live: live, Recorder: s.Recorder(), APIErrors: cosievents.NewAPIErrors(s.Recorder()),
		Protector: claimprotection.New(cached, live),
	}
	return phasetest.Walk(r.Runner(), func(p *cosireconcile.Patcher[*v1alpha2.BucketClaim]) *attempt {
		return &attempt{Reconciler: r, Patcher: p, bucket: s.bucket}
	}, phases)
}

// hasClaim makes the claim "photos" of the class "gold". It has its finalizer, and the initial
// conditions, so that a phase without work writes nothing.
func (s *scene) hasClaim(edits ...func(*v1alpha2.BucketClaim)) {
	s.Helper()
	s.claim = &v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "photos", Finalizers: []string{v1alpha2.ProtectionFinalizer}},
		Spec:       v1alpha2.BucketClaimSpec{BucketClassName: s.Name("gold"), Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3}},
	}
	condition.For(&s.claim.Status.Conditions, 1)
	for _, edit := range edits {
		edit(s.claim)
	}
	s.Make(s.claim)
}

// deleting deletes the claim. The deletion is a second generation, which the conditions have
// observed.
func deleting(claim *v1alpha2.BucketClaim) {
	claim.DeletionTimestamp = new(metav1.Now())
	condition.For(&claim.Status.Conditions, 2)
}

func withoutFinalizer(claim *v1alpha2.BucketClaim) { claim.Finalizers = nil }

// audited: another component keeps the claim.
func audited(claim *v1alpha2.BucketClaim) {
	claim.Finalizers = append(claim.Finalizers, phasetest.Foreign)
}

// protected has the annotation of a claim that accesses need.
func protected(claim *v1alpha2.BucketClaim) {
	metav1.SetMetaDataAnnotation(&claim.ObjectMeta, v1alpha2.HasBucketAccessReferencesAnnotation, "")
}

// ofExisting makes the claim name the Bucket "brown", which an administrator creates.
func (s *scene) ofExisting(claim *v1alpha2.BucketClaim) {
	claim.Spec.BucketClassName, claim.Spec.ExistingBucketName = "", s.Name("brown")
}

func (s *scene) bind() {
	s.Helper()
	s.ModifyStatus(s.claim, func() { s.claim.Status.BoundBucketName = bucket.NameOf(s.claim) })
}

func (s *scene) hasClass(edits ...func(*v1alpha2.BucketClass)) {
	s.Helper()
	s.class = phasetest.Make(s.Case, &v1alpha2.BucketClass{
		ObjectMeta: metav1.ObjectMeta{Name: s.Name("gold")},
		Spec: v1alpha2.BucketClassSpec{
			DriverName: "driver.test", DeletionPolicy: v1alpha2.DeletionPolicyDelete, Parameters: map[string]string{"tier": "gold"},
		},
	}, edits...)
}

func (s *scene) hasBucket(edits ...func(*v1alpha2.Bucket)) {
	s.Helper()
	s.bucket = &v1alpha2.Bucket{
		ObjectMeta: metav1.ObjectMeta{Name: bucket.NameOf(s.claim)},
		Spec: v1alpha2.BucketSpec{
			DriverName: "driver.test", DeletionPolicy: v1alpha2.DeletionPolicyDelete, Protocols: s.claim.Spec.Protocols,
			BucketClaimRef: v1alpha2.BucketClaimReference{Namespace: s.Namespace, Name: s.claim.Name, UID: s.claim.UID},
		},
	}
	if s.claim.Spec.ExistingBucketName != "" {
		s.bucket.Spec.DeletionPolicy, s.bucket.Spec.ExistingBucketID = v1alpha2.DeletionPolicyRetain, "old/bucket"
	}
	for _, edit := range edits {
		edit(s.bucket)
	}
	s.Make(s.bucket)
}

// unbound makes a Bucket refer to the claim by its name only.
func unbound(b *v1alpha2.Bucket) { b.Spec.BucketClaimRef.UID = "" }

// ofOther makes a Bucket belong to an earlier claim of the name.
func ofOther(b *v1alpha2.Bucket) { b.Spec.BucketClaimRef.UID = phasetest.OtherUID }

func retained(b *v1alpha2.Bucket) { b.Spec.DeletionPolicy = v1alpha2.DeletionPolicyRetain }

func deleted(b *v1alpha2.Bucket) { b.Spec.DeletionPolicy = v1alpha2.DeletionPolicyDelete }

// going deletes a Bucket, which its sidecar keeps.
func going(b *v1alpha2.Bucket) {
	b.DeletionTimestamp, b.Finalizers = new(metav1.Now()), []string{v1alpha2.ProtectionFinalizer}
}

func announced(b *v1alpha2.Bucket) {
	metav1.SetMetaDataAnnotation(&b.ObjectMeta, v1alpha2.BucketClaimBeingDeletedAnnotation, "")
}

// replaceClaim deletes the claim by force, and creates it again under its name.
func (s *scene) replaceClaim(edits ...func(*v1alpha2.BucketClaim)) {
	s.Helper()
	s.ForceRemove(s.claim)
	s.hasClaim(edits...)
}
