package bucketaccess

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/inflight"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/secretstore"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha2/driver"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

var suite = phasetest.Suite{
	Kinds: []client.Object{&v1alpha2.Bucket{}, &v1alpha2.BucketAccess{}, secretstore.Metadata()}, Index: RegisterIndexes,
}

const (
	accessPatch = "patch bucketaccesses app (resourceVersion)"
	statusPatch = "patch bucketaccesses/status app (resourceVersion)"

	generates = "call DriverGenerateBucketAccessId ba-uid-app (id-photos)"
	grants    = "call DriverGrantBucketAccess acc (id-photos)"
	revokes   = "call DriverRevokeBucketAccess acc (id-photos)"

	creates        = "create secrets photos"
	updates        = "update secrets photos (uid, resourceVersion)"
	releases       = "patch secrets photos (resourceVersion)"
	deletes        = "delete secrets photos (uid, resourceVersion)"
	isGone         = "Secret photos is gone"
	withdrawn      = "BucketAccess app: status.readyToUse=false"
	recordsFailed  = "Warning FailedGrantAccess of BucketAccess app"
	recordsRevoked = "Normal Deprovisioned of BucketAccess app"
)

type phase = func(*attempt, context.Context) error

type phaseCase = phasetest.Entry[*scene]

// scene has an access, its driver and related objects.
type scene struct {
	*phasetest.Case

	driver *drivertest.Driver
	bucket *v1alpha2.Bucket // the latest
	access *v1alpha2.BucketAccess
	secret *corev1.Secret
	// reconciler is the latest runner's.
	reconciler *reconciler
	left       map[string]secretstore.Version
	options    Options
	busy       []string      // buckets with another call in flight
	renewed    time.Duration // from now
}

func newScene(c *phasetest.Case) *scene {
	return &scene{Case: c, driver: drivertest.Start(c.TB, "driver.test")}
}

func runTable(t *testing.T, table []phaseCase, phases ...phase) {
	t.Helper()
	phasetest.RunTable(t, &suite, table, newScene, func(s *scene) (got phasetest.Outcome) {
		calls := inflight.NewCalls()
		other := &v1alpha2.BucketAccess{ObjectMeta: metav1.ObjectMeta{Name: "other"}}
		s.Must(calls.Line().Call(other, func() error {
			got = phasetest.Run(s.Case, s.runner(calls.Line(), phases), s.access)
			return nil
		}, s.busy...))
		return got
	})
}

func (s *scene) runner(line *inflight.Line, phases []phase) *cosireconcile.Runner[*v1alpha2.BucketAccess] {
	clients := Clients{Cached: s.Client(), Live: s.Live()}
	r := newReconciler(clients, phasetest.Connect(s.Case, driver.Connect, s.driver.DialOptions()), line, s.options)
	s.reconciler = r
	if s.left != nil {
		r.versions.Set(s.access, s.left)
	}
	if s.renewed != 0 {
		r.renewals.set(s.access, time.Now().Add(s.renewed))
	}
	newAttempt := func(p *cosireconcile.Patcher[*v1alpha2.BucketAccess]) *attempt {
		return &attempt{reconciler: r, Patcher: p}
	}
	return phasetest.Walk(r.runner(clients, s.Recorder()), newAttempt, phases)
}

func (s *scene) hasBucket(claim string, edits ...func(*v1alpha2.Bucket)) *v1alpha2.Bucket {
	s.Helper()
	b := &v1alpha2.Bucket{
		ObjectMeta: metav1.ObjectMeta{Name: s.Name(claim), Finalizers: []string{v1alpha2.ProtectionFinalizer}},
		Spec: v1alpha2.BucketSpec{
			DriverName: "driver.test", DeletionPolicy: v1alpha2.DeletionPolicyDelete,
			BucketClaimRef: v1alpha2.BucketClaimReference{Namespace: s.Namespace, Name: claim, UID: phasetest.OtherUID},
		},
		Status: v1alpha2.BucketStatus{BucketID: s.Name("id-" + claim), Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3}},
	}
	condition.For(&b.Status.Conditions, 1).Set(v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned, "m")
	s.bucket = phasetest.Make(s.Case, b, edits...)
	return s.bucket
}

// hasAccess makes the access "app" to a claim "photos", as the controller has handed it off. It has
// its finalizer, and the initial conditions, so that a phase without work writes nothing.
func (s *scene) hasAccess(edits ...func(*v1alpha2.BucketAccess)) {
	s.Helper()
	s.access = phasetest.Make(s.Case, s.newAccess("app"), edits...)
}

func (s *scene) newAccess(name string) *v1alpha2.BucketAccess {
	access := &v1alpha2.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: s.Namespace, Name: name, Finalizers: []string{v1alpha2.ProtectionFinalizer}, Generation: 1,
		},
		Spec:   v1alpha2.BucketAccessSpec{BucketAccessClassName: "keys", Protocol: v1alpha2.ProtocolS3},
		Status: v1alpha2.BucketAccessStatus{DriverName: "driver.test", AuthenticationType: v1alpha2.AuthenticationTypeKey},
	}
	s.alsoTo("photos")(access)
	condition.For(&access.Status.Conditions, 1)
	return access
}

// alsoTo adds a claim to an access, with the Bucket of hasBucket.
func (s *scene) alsoTo(claim string) func(*v1alpha2.BucketAccess) {
	return func(access *v1alpha2.BucketAccess) {
		access.Spec.BucketClaims = append(access.Spec.BucketClaims, v1alpha2.BucketClaimAccess{
			BucketClaimName: claim, AccessSecretName: claim,
			AccessModes: v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite},
		})
		access.Status.AccessedBuckets = append(access.Status.AccessedBuckets, v1alpha2.AccessedBucket{
			BucketName: s.Name(claim), BucketID: s.Name("id-" + claim), BucketClaimName: claim,
		})
	}
}

func withoutFinalizer(access *v1alpha2.BucketAccess) { access.Finalizers = nil }

func audited(access *v1alpha2.BucketAccess) {
	access.Finalizers = append(access.Finalizers, phasetest.Foreign)
}

func ofOtherDriver(access *v1alpha2.BucketAccess) { access.Status.DriverName = "other.test" }

// identified: the driver has generated the ID of the account.
func identified(access *v1alpha2.BucketAccess) { access.Status.AccountID = "acc" }

// granted: the driver has granted the access.
func granted(access *v1alpha2.BucketAccess) {
	identified(access)
	access.Status.ReadyToUse = true
	statusOf(access).Succeed("driver driver.test has granted access to 1 bucket(s)")
}

// leaving: the access is being deleted. The deletion is a second generation, which the conditions
// have observed.
func leaving(access *v1alpha2.BucketAccess) {
	access.DeletionTimestamp = new(metav1.Now())
	condition.For(&access.Status.Conditions, 2)
}

// unready: the sidecar has begun the deletion.
func unready(access *v1alpha2.BucketAccess) { access.Status.ReadyToUse = false }

func cleanedUp(access *v1alpha2.BucketAccess) {
	metav1.SetMetaDataAnnotation(&access.ObjectMeta, v1alpha2.SidecarCleanupFinishedAnnotation, "")
}

// hasSecret makes the Secret "photos" of the existing access, as the sidecar creates it before it
// asks the driver.
func (s *scene) hasSecret(edits ...func(*corev1.Secret)) {
	s.Helper()
	s.secret = &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: s.Namespace, Name: "photos", Finalizers: []string{v1alpha2.ProtectionFinalizer},
			Annotations: map[string]string{
				v1alpha2.BucketAccessReferenceAnnotation: s.Namespace + "/app",
				v1alpha2.BucketClaimReferenceAnnotation:  s.Namespace + "/photos",
				v1alpha2.DriverNameAnnotation:            "driver.test",
			},
		},
		Type: corev1.SecretTypeOpaque,
	}
	s.Must(controllerutil.SetControllerReference(s.access, s.secret, s.Scheme()))
	phasetest.Make(s.Case, s.secret, edits...)
}

// filled gives a Secret the credentials of the account.
func (s *scene) filled(secret *corev1.Secret) {
	secret.Data = map[string][]byte{}
	for key, value := range map[string]string{
		v1alpha2.SecretKeyProtocol: "S3", v1alpha2.SecretKeyBucketName: s.Name("id-photos"),
		v1alpha2.SecretKeyS3Endpoint: drivertest.S3Endpoint, v1alpha2.SecretKeyS3Region: drivertest.S3Region,
		v1alpha2.SecretKeyS3AddressingStyle: v1alpha2.S3AddressingStylePath,
		v1alpha2.SecretKeyS3AccessKeyID:     "key-of-acc", v1alpha2.SecretKeyS3SecretAccessKey: drivertest.SecretKey("acc"),
	} {
		secret.Data[key] = []byte(value)
	}
}

func orphaned(secret *corev1.Secret) { secret.OwnerReferences = nil }

// strange makes a Secret a user's.
func strange(secret *corev1.Secret) {
	secret.OwnerReferences, secret.Finalizers, secret.Annotations = nil, nil, nil
}

func immutable(secret *corev1.Secret) { secret.Immutable = new(true) }

func held(secret *corev1.Secret) { secret.Finalizers = append(secret.Finalizers, phasetest.Foreign) }

func deleted(secret *corev1.Secret) { secret.DeletionTimestamp = new(metav1.Now()) }

func (s *scene) remembers() {
	s.left = map[string]secretstore.Version{s.secret.Name: secretstore.VersionOf(s.secret)}
}

// failed is the outcome if the API server fails.
func failed(writes ...string) phasetest.Outcome {
	return phasetest.Failed("BucketAccess app", writes...)
}

func invalid(reason string, writes ...string) phasetest.Outcome {
	return phasetest.Outcome{
		Writes:     append(writes, statusPatch),
		Conditions: []string{"Provisioned=False " + reason, "ResourcesValidated=False " + reason},
		Events:     []string{recordsFailed},
		Err:        "Invalid " + reason,
	}
}

func waiting(reason string, writes ...string) phasetest.Outcome {
	return phasetest.Outcome{
		Writes:     append(writes, statusPatch),
		Conditions: []string{"Provisioned=Unknown " + reason, "ResourcesValidated=Unknown " + reason},
		Events:     []string{"Normal " + reason + " of BucketAccess app"},
		Err:        "Waiting " + reason,
	}
}

// unwritable is the outcome if the API server fails with a Secret.
func unwritable(writes ...string) phasetest.Outcome {
	const reason = v1alpha2.ReasonSecretWriteFailed
	return phasetest.Outcome{
		Writes:     append(writes, statusPatch),
		Conditions: []string{"Provisioned=Unknown " + reason, "ResourcesValidated=False " + reason},
		Events:     []string{recordsFailed}, Err: "Unwritable " + reason, Requeue: true,
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
