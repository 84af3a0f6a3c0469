package bucket

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/inflight"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha2/driver"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

var suite = phasetest.Suite{Kinds: []client.Object{&v1alpha2.Bucket{}}, Index: RegisterIndexes}

const (
	bucketPatch = "patch buckets b (resourceVersion)"
	statusPatch = "patch buckets/status b (resourceVersion)"

	generates = "call DriverGenerateBucketId b"
	creates   = "call DriverCreateBucket id-b"
	deletes   = "call DriverDeleteBucket id-b"

	withdrawn       = "Bucket b: status.readyToUse=false"
	recordsReleased = "Normal Deprovisioned of Bucket b"
	recordsFailed   = "Warning FailedCreateBucket of Bucket b"
	isGone          = "Bucket b is gone"
)

type phase = func(*attempt, context.Context) error

type phaseCase = phasetest.Entry[*scene]

// scene has a Bucket and its driver.
type scene struct {
	*phasetest.Case

	driver *drivertest.Driver
	bucket *v1alpha2.Bucket
	busy   []string // buckets with another call in flight
	only   []string // namespaces that are served; all by default
}

func newScene(c *phasetest.Case) *scene {
	return &scene{Case: c, driver: drivertest.Start(c.TB, "driver.test")}
}

// runTable runs a phase, or several, for the entries of a table; without any, all phases of the
// reconciler.
func runTable(t *testing.T, table []phaseCase, phases ...phase) {
	t.Helper()
	phasetest.RunTable(t, &suite, table, newScene, func(s *scene) (got phasetest.Outcome) {
		calls := inflight.NewCalls()
		other := &v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Name: "other"}}
		s.Must(calls.Line().Call(other, func() error {
			got = phasetest.Run(s.Case, s.runner(calls.Line(), phases), s.bucket)
			return nil
		}, s.busy...))
		return got
	})
}

func (s *scene) runner(line *inflight.Line, phases []phase) *cosireconcile.Runner[*v1alpha2.Bucket] {
	cached := s.Client()
	r := newReconciler(cached, s.Live(), s.served(), line)
	newAttempt := func(p *cosireconcile.Patcher[*v1alpha2.Bucket]) *attempt { return &attempt{reconciler: r, Patcher: p} }
	return phasetest.Walk(r.runner(cached, s.Recorder()), newAttempt, phases)
}

func (s *scene) served() Served {
	s.Helper()
	return Served{Driver: phasetest.Connect(s.Case, driver.Connect, s.driver.DialOptions()), Namespaces: watched.New(s.only)}
}

// hasBucket makes the Bucket "b", which is bound to a claim. It has its finalizer, its label, and the initial
// conditions, so that a phase without work writes nothing.
func (s *scene) hasBucket(edits ...func(*v1alpha2.Bucket)) {
	s.Helper()
	s.bucket = s.newBucket("b")
	phasetest.Make(s.Case, s.bucket, edits...)
}

func (s *scene) newBucket(name string) *v1alpha2.Bucket {
	b := &v1alpha2.Bucket{
		ObjectMeta: metav1.ObjectMeta{Name: s.Name(name), Finalizers: []string{v1alpha2.ProtectionFinalizer}, Generation: 1},
		Spec: v1alpha2.BucketSpec{
			DriverName: "driver.test", DeletionPolicy: v1alpha2.DeletionPolicyDelete, Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3},
			BucketClaimRef: v1alpha2.BucketClaimReference{Namespace: s.Namespace, Name: "photos", UID: phasetest.OtherUID},
		},
	}
	v1alpha2.SetDriverLabel(&b.ObjectMeta, b.Spec.DriverName)
	condition.For(&b.Status.Conditions, 1)
	return b
}

func withoutFinalizer(b *v1alpha2.Bucket) { b.Finalizers = nil }

func withoutLabel(b *v1alpha2.Bucket) { b.Labels = nil }

func audited(b *v1alpha2.Bucket) { b.Finalizers = append(b.Finalizers, phasetest.Foreign) }

func ofOtherDriver(b *v1alpha2.Bucket) { b.Spec.DriverName = "other.test" }

func retained(b *v1alpha2.Bucket) { b.Spec.DeletionPolicy = v1alpha2.DeletionPolicyRetain }

// elsewhere makes the Bucket one for a claim of another namespace.
func elsewhere(b *v1alpha2.Bucket) { b.Spec.BucketClaimRef.Namespace = "elsewhere" }

func unbound(b *v1alpha2.Bucket) { b.Spec.BucketClaimRef.UID = "" }

func forAzure(b *v1alpha2.Bucket) {
	b.Spec.Protocols = []v1alpha2.Protocol{v1alpha2.ProtocolS3, v1alpha2.ProtocolAzure}
}

// static makes the Bucket represent the existing bucket "old".
func (s *scene) static(b *v1alpha2.Bucket) {
	b.Spec.ExistingBucketID = s.Name("old")
	retained(b)
}

func doomed(b *v1alpha2.Bucket) { b.Spec.DeletionPolicy = v1alpha2.DeletionPolicyDelete }

// identified: the driver has generated the ID.
func identified(b *v1alpha2.Bucket) { b.Status.BucketID = "id-" + b.Name }

// provisioned: the driver has created the bucket.
func provisioned(b *v1alpha2.Bucket) {
	identified(b)
	b.Status.Protocols = []v1alpha2.Protocol{v1alpha2.ProtocolS3}
	b.Status.ReadyToUse = true
	statusOf(b).Succeed("driver driver.test has the bucket")
}

// announced: the claim of the Bucket is being deleted.
func announced(b *v1alpha2.Bucket) {
	metav1.SetMetaDataAnnotation(&b.ObjectMeta, v1alpha2.BucketClaimBeingDeletedAnnotation, "")
}

// deleting: the Bucket is being deleted, like its claim. The deletion is a second generation, which
// the conditions have observed.
func deleting(b *v1alpha2.Bucket) {
	b.DeletionTimestamp = new(metav1.Now())
	condition.For(&b.Status.Conditions, 2)
}

// unready: the sidecar has begun the deletion.
func unready(b *v1alpha2.Bucket) { b.Status.ReadyToUse = false }

// failed is the outcome if the API server fails.
func failed(writes ...string) phasetest.Outcome { return phasetest.Failed("Bucket b", writes...) }

func invalid(reason string) phasetest.Outcome {
	return phasetest.Outcome{
		Writes:     []string{statusPatch},
		Conditions: []string{"Provisioned=False " + reason, "ResourcesValidated=False " + reason},
		Events:     []string{recordsFailed},
		Err:        "Invalid " + reason,
	}
}

// retried is the outcome if a call fails, and may succeed later.
func retried(writes ...string) phasetest.Outcome {
	return phasetest.Outcome{
		Writes: append(writes, statusPatch),
		Conditions: []string{
			"Provisioned=Unknown DriverError", "ResourcesValidated=True Validated", "ProvisionFailed=True DriverError",
		},
		Events: []string{recordsFailed}, Err: "Failed DriverError", Requeue: true,
	}
}

func rejected(reason string, writes ...string) phasetest.Outcome {
	return phasetest.Outcome{
		Writes:     append(writes, statusPatch),
		Conditions: []string{"Provisioned=False " + reason, "ResourcesValidated=True Validated", "ProvisionFailed=True " + reason},
		Events:     []string{recordsFailed}, Err: "Rejected " + reason,
	}
}
