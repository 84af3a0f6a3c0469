package bucket

import (
	"context"
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/inflight"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha1/bucketaccess"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha1/driver"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

var suite = phasetest.Suite{
	Version: objectstorage.V1alpha1,
	Kinds:   []client.Object{&v1alpha1.Bucket{}, &v1alpha1.BucketAccess{}},
	Index: func(ctx context.Context, indexer client.FieldIndexer) error {
		return errors.Join(RegisterIndexes(ctx, indexer), bucketaccess.RegisterIndexes(ctx, indexer))
	},
}

const (
	bucketPatch = "patch buckets b (resourceVersion)"
	statusPatch = "patch buckets/status b (resourceVersion)"

	creates = "call DriverCreateBucket b"
	deletes = "call DriverDeleteBucket id-b"

	isReady         = "Bucket b: status.bucketReady=true"
	recordsReady    = "Normal Provisioned of Bucket b"
	recordsReleased = "Normal Deprovisioned of Bucket b"
	isGone          = "Bucket b is gone"
)

type phase = func(*attempt, context.Context) error

type phaseCase = phasetest.Entry[*scene]

// scene has a Bucket, its driver, and an access to it.
type scene struct {
	*phasetest.Case

	driver *drivertest.V1alpha1
	bucket *v1alpha1.Bucket
	access *v1alpha1.BucketAccess
	busy   []string // buckets with another call in flight
	only   []string // namespaces that are served; all by default
	failed int      // number of earlier failures for the Bucket
}

func newScene(c *phasetest.Case) *scene {
	s := &scene{Case: c, driver: drivertest.StartV1alpha1(c.TB, "driver.test")}
	s.answersID("id-b")
	return s
}

func (s *scene) answersID(id string) {
	s.driver.Answer("DriverCreateBucket", &cosiv1alpha1.DriverCreateBucketResponse{BucketId: s.id(id)})
}

func (s *scene) id(short string) string {
	if short == "" {
		return ""
	}
	return s.Name(short)
}

func runTable(t *testing.T, table []phaseCase, phases ...phase) {
	t.Helper()
	phasetest.RunTable(t, &suite, table, newScene, func(s *scene) (got phasetest.Outcome) {
		calls := inflight.NewCalls()
		other := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Name: "other"}}
		s.Must(calls.Line().Call(other, func() error {
			got = phasetest.Run(s.Case, s.runner(calls.Line(), phases), s.bucket)
			return nil
		}, s.busy...))
		return got
	})
}

func (s *scene) runner(line *inflight.Line, phases []phase) *cosireconcile.Runner[*v1alpha1.Bucket] {
	cached := s.Client()
	r := newReconciler(cached, s.Live(), s.served(), line)
	for range s.failed {
		r.failures.HasNothing(s.bucket.UID, errUnknown)
	}
	newAttempt := func(p *cosireconcile.Patcher[*v1alpha1.Bucket]) *attempt { return &attempt{reconciler: r, Patcher: p} }
	return phasetest.Walk(r.runner(cached, s.Recorder()), newAttempt, phases)
}

func (s *scene) served() Served {
	s.Helper()
	return Served{Driver: phasetest.Connect(s.Case, driver.Connect, s.driver.DialOptions()), Namespaces: watched.New(s.only)}
}

func (s *scene) hasBucket(edits ...func(*v1alpha1.Bucket)) {
	s.Helper()
	s.bucket = phasetest.Make(s.Case, s.newBucket("b"), edits...)
}

func (s *scene) newBucket(name string) *v1alpha1.Bucket {
	b := &v1alpha1.Bucket{
		ObjectMeta: metav1.ObjectMeta{Name: s.Name(name), Finalizers: []string{v1alpha1.BucketFinalizer}},
		Spec: v1alpha1.BucketSpec{
			DriverName: "driver.test", BucketClassName: "gold", DeletionPolicy: v1alpha1.DeletionPolicyDelete,
			Protocols:   []v1alpha1.Protocol{v1alpha1.ProtocolS3},
			BucketClaim: &corev1.ObjectReference{Namespace: s.Namespace, Name: "photos", UID: phasetest.OtherUID},
		},
	}
	v1alpha2.SetDriverLabel(&b.ObjectMeta, b.Spec.DriverName)
	return b
}

func withoutFinalizer(b *v1alpha1.Bucket) { b.Finalizers = nil }

func withoutLabel(b *v1alpha1.Bucket) { b.Labels = nil }

func audited(b *v1alpha1.Bucket) { b.Finalizers = append(b.Finalizers, phasetest.Foreign) }

func accessed(b *v1alpha1.Bucket) {
	b.Finalizers = append(b.Finalizers, v1alpha1.BucketAccessBucketFinalizer)
}

func ofOtherDriver(b *v1alpha1.Bucket) { b.Spec.DriverName = "other.test" }

// elsewhere makes the Bucket one of a claim of another namespace.
func elsewhere(b *v1alpha1.Bucket) { b.Spec.BucketClaim.Namespace = "elsewhere" }

func withoutClaim(b *v1alpha1.Bucket) { b.Spec.BucketClaim = &corev1.ObjectReference{} }

// ofItsClaim gives the Bucket a claim whose UID ends its name, as if it had been created for the claim.
func (s *scene) ofItsClaim(b *v1alpha1.Bucket) { b.Spec.BucketClaim.UID = types.UID(s.Namespace) }

// servesOnly makes the sidecar serve the namespace of the case only.
func (s *scene) servesOnly() { s.only = []string{s.Namespace} }

func inCapitals(b *v1alpha1.Bucket) { b.Spec.DriverName = "DRIVER.test" }

func retained(b *v1alpha1.Bucket) { b.Spec.DeletionPolicy = v1alpha1.DeletionPolicyRetain }

// static makes the Bucket represent the existing bucket "old".
func (s *scene) static(b *v1alpha1.Bucket) { b.Spec.ExistingBucketID = s.Name("old") }

// identified: the Bucket has an ID, but is not ready.
func (s *scene) identified(b *v1alpha1.Bucket) { b.Status.BucketID = s.Name("id-b") }

func (s *scene) provisioned(b *v1alpha1.Bucket) { s.identified(b); ready(b) }

func ready(b *v1alpha1.Bucket) { b.Status.BucketReady = true }

func deleting(b *v1alpha1.Bucket) { b.DeletionTimestamp = new(metav1.Now()) }

func (s *scene) hasAccess(edits ...func(*v1alpha1.BucketAccess)) {
	s.Helper()
	s.access = phasetest.Make(s.Case, &v1alpha1.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "app", Finalizers: []string{v1alpha1.BucketAccessFinalizer}},
		Spec:       v1alpha1.BucketAccessSpec{BucketClaimName: "photos", BucketAccessClassName: "keys", CredentialsSecretName: "app"},
	}, edits...)
}

// inAnotherNamespace puts an access into a namespace that every cluster has.
func (s *scene) inAnotherNamespace(access *v1alpha1.BucketAccess) {
	access.Namespace, access.Name = metav1.NamespaceDefault, s.Name("app")
}

func released(access *v1alpha1.BucketAccess) {
	access.Finalizers, access.DeletionTimestamp = []string{phasetest.Foreign}, new(metav1.Now())
}

func apiFailure(writes ...string) phasetest.Outcome { return phasetest.Failed("Bucket b", writes...) }

// retried is the outcome if a call fails, and may succeed later.
func retried(says, reason string, writes ...string) phasetest.Outcome {
	return phasetest.Outcome{
		Writes: writes, Events: []string{"Warning " + says + " of Bucket b"}, Err: "Failed " + reason, Requeue: true,
	}
}
