package bucketaccess

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/inflight"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/secretstore"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha1/driver"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

var suite = phasetest.Suite{
	Version: objectstorage.V1alpha1,
	Kinds: []client.Object{
		&v1alpha1.Bucket{}, &v1alpha1.BucketAccess{}, &v1alpha1.BucketClaim{}, &v1alpha1.BucketAccessClass{}, secretstore.Metadata(),
	},
	Index: RegisterIndexes,
}

const (
	accessPatch = "patch bucketaccesses app (resourceVersion)"
	statusPatch = "patch bucketaccesses/status app (resourceVersion)"
	bucketPatch = "patch buckets photos (resourceVersion)"

	grants  = "call DriverGrantBucketAccess ba-uid-app (id-photos)"
	revokes = "call DriverRevokeBucketAccess acc (id-photos)"

	creates  = "create secrets app"
	releases = "patch secrets app (resourceVersion)"
	deletes  = "delete secrets app (uid, resourceVersion)"
)

type phase = func(*attempt, context.Context) error

type phaseCase = phasetest.Entry[*scene]

// scene has an access, its driver and related objects.
type scene struct {
	*phasetest.Case

	driver *drivertest.V1alpha1
	class  *v1alpha1.BucketAccessClass
	claim  *v1alpha1.BucketClaim
	bucket *v1alpha1.Bucket
	access *v1alpha1.BucketAccess
	secret *corev1.Secret
	left   map[string]secretstore.Version // the Secret as the reconciler has left it
	strict bool
	only   []string // namespaces that are served; all by default
	busy   []string // buckets with another call in flight
}

func newScene(c *phasetest.Case) *scene {
	s := &scene{Case: c, driver: drivertest.StartV1alpha1(c.TB, "driver.test")}
	s.answersGrant("acc")
	s.driver.Answer("DriverRevokeBucketAccess", &cosiv1alpha1.DriverRevokeBucketAccessResponse{})
	return s
}

func (s *scene) answersGrant(account string) {
	s.driver.Answer("DriverGrantBucketAccess", &cosiv1alpha1.DriverGrantBucketAccessResponse{
		AccountId: account, Credentials: drivertest.V1alpha1Credentials(account),
	})
}

// runTable runs the last phase for the entries of a table, after the others, which read its input.
// Without any, all phases of the reconciler run.
func runTable(t *testing.T, table []phaseCase, phases ...phase) {
	t.Helper()
	phasetest.RunTable(t, &suite, table, newScene, func(s *scene) phasetest.Outcome {
		got := s.run(phases)
		for i, line := range got.Changes { // both contain the UID of the access
			if path, _, found := strings.Cut(line, "="); found &&
				(strings.HasSuffix(path, v1alpha1.BucketInfoKey) || strings.HasSuffix(path, v1alpha1.DataDigestAnnotation)) {
				got.Changes[i] = path
			}
		}
		return got
	})
}

// runTableWithoutChanges is runTable for a table without the changes of the objects.
func runTableWithoutChanges(t *testing.T, table []phaseCase, phases ...phase) {
	t.Helper()
	phasetest.RunTable(t, &suite, table, newScene, func(s *scene) phasetest.Outcome {
		got := s.run(phases)
		got.Changes = nil
		return got
	})
}

func (s *scene) run(phases []phase) (got phasetest.Outcome) {
	calls := inflight.NewCalls()
	other := &v1alpha1.BucketAccess{ObjectMeta: metav1.ObjectMeta{Name: "other"}}
	s.Must(calls.Line().Call(other, func() error {
		got = phasetest.Run(s.Case, s.runner(calls.Line(), phases), s.access)
		return nil
	}, s.busy...))
	return got
}

func (s *scene) runner(line *inflight.Line, phases []phase) *cosireconcile.Runner[*v1alpha1.BucketAccess] {
	clients := Clients{Cached: s.Client(), Live: s.Live()}
	r := newReconciler(clients, phasetest.Connect(s.Case, driver.Connect, s.driver.DialOptions()), line,
		Options{Strict: s.strict, Namespaces: watched.New(s.only)})
	if s.left != nil {
		r.versions.Set(s.access, s.left)
	}
	newAttempt := func(p *cosireconcile.Patcher[*v1alpha1.BucketAccess]) *attempt {
		return &attempt{reconciler: r, Patcher: p}
	}
	return phasetest.Walk(r.runner(clients, s.Recorder()), newAttempt, phases)
}

func (s *scene) hasClass(edits ...func(*v1alpha1.BucketAccessClass)) {
	s.Helper()
	s.class = phasetest.Make(s.Case, &v1alpha1.BucketAccessClass{
		ObjectMeta: metav1.ObjectMeta{Name: s.Name("keys")}, DriverName: "driver.test", AuthenticationType: v1alpha1.AuthenticationTypeKey,
	}, edits...)
}

func ofOther(class *v1alpha1.BucketAccessClass) { class.DriverName = "other.test" }

func (s *scene) hasClaim(edits ...func(*v1alpha1.BucketClaim)) {
	s.Helper()
	s.claim = phasetest.Make(s.Case, &v1alpha1.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "photos", Finalizers: []string{v1alpha1.BucketClaimFinalizer}},
		Spec:       v1alpha1.BucketClaimSpec{BucketClassName: "gold", Protocols: []v1alpha1.Protocol{v1alpha1.ProtocolS3}},
		Status:     v1alpha1.BucketClaimStatus{BucketReady: true, BucketName: s.Name("photos")},
	}, edits...)
}

// hasBucket makes the ready Bucket "photos" of the claim, if that exists already.
func (s *scene) hasBucket(edits ...func(*v1alpha1.Bucket)) {
	s.Helper()
	ref := &corev1.ObjectReference{Namespace: s.Namespace, Name: "photos"}
	if s.claim != nil {
		ref.UID = s.claim.UID
	}
	s.bucket = phasetest.Make(s.Case, &v1alpha1.Bucket{
		ObjectMeta: metav1.ObjectMeta{Name: s.Name("photos"), Finalizers: []string{v1alpha1.BucketFinalizer}},
		Spec: v1alpha1.BucketSpec{
			DriverName: "driver.test", BucketClassName: "gold", DeletionPolicy: v1alpha1.DeletionPolicyDelete,
			Protocols: []v1alpha1.Protocol{v1alpha1.ProtocolS3}, BucketClaim: ref,
		},
		Status: v1alpha1.BucketStatus{BucketReady: true, BucketID: s.Name("id-photos")},
	}, edits...)
}

// elsewhere makes the Bucket one of a claim of another namespace.
func elsewhere(b *v1alpha1.Bucket) {
	b.Spec.BucketClaim = &corev1.ObjectReference{Namespace: "elsewhere", Name: "photos"}
}

// servesOnly makes the sidecar serve the namespace of the case only.
func (s *scene) servesOnly() { s.only = []string{s.Namespace} }

func notReady(b *v1alpha1.Bucket) { b.Status = v1alpha1.BucketStatus{} }

func leavingBucket(b *v1alpha1.Bucket) { b.DeletionTimestamp = new(metav1.Now()) }

// accessed has the finalizer of an access to a Bucket.
func accessed(b *v1alpha1.Bucket) {
	b.Finalizers = append(b.Finalizers, v1alpha1.BucketAccessBucketFinalizer)
}

func (s *scene) hasAll(edits ...func(*v1alpha1.Bucket)) {
	s.Helper()
	s.hasClass()
	s.hasClaim()
	s.hasBucket(edits...)
}

func (s *scene) hasAccess(edits ...func(*v1alpha1.BucketAccess)) {
	s.Helper()
	s.access = phasetest.Make(s.Case, s.newAccess("app"), edits...)
}

func (s *scene) newAccess(name string) *v1alpha1.BucketAccess {
	return &v1alpha1.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: name},
		Spec: v1alpha1.BucketAccessSpec{
			BucketClaimName: "photos", BucketAccessClassName: s.Name("keys"), CredentialsSecretName: name, Protocol: v1alpha1.ProtocolS3,
		},
	}
}

// protected has the finalizer and the record of an access, as before the first Grant.
func (s *scene) protected(access *v1alpha1.BucketAccess) {
	access.Finalizers = []string{v1alpha1.BucketAccessFinalizer}
	access.Annotations = map[string]string{v1alpha1.GrantAnnotation: recordLine(s.Name("photos"), s.Name("id-photos"))}
}

func recordLine(bucket, id string) string {
	return `{"driverName":"driver.test","bucketName":"` + bucket + `","bucketID":"` + id + `","authenticationType":"Key"}`
}

// granted: the driver has granted the access.
func (s *scene) granted(access *v1alpha1.BucketAccess) {
	s.protected(access)
	access.Status = v1alpha1.BucketAccessStatus{AccessGranted: true, AccountID: "acc"}
}

func leaving(access *v1alpha1.BucketAccess) { access.DeletionTimestamp = new(metav1.Now()) }

func (s *scene) hasSecret(edits ...func(*corev1.Secret)) {
	s.Helper()
	s.secret = &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Namespace: s.Namespace, Name: "app", Finalizers: []string{v1alpha1.SecretFinalizer},
	}}
	s.Must(controllerutil.SetControllerReference(s.access, s.secret, s.Scheme()))
	phasetest.Make(s.Case, s.secret, edits...)
}

func strange(secret *corev1.Secret) { secret.OwnerReferences, secret.Finalizers = nil, nil }

func deleted(secret *corev1.Secret) { secret.DeletionTimestamp = new(metav1.Now()) }

func held(secret *corev1.Secret) { secret.Finalizers = append(secret.Finalizers, phasetest.Foreign) }

// remembers: the reconciler has left the Secret as it is.
func (s *scene) remembers() {
	s.left = map[string]secretstore.Version{s.secret.Name: secretstore.VersionOf(s.secret)}
}

// hasSettled makes a granted access, with all its objects.
func (s *scene) hasSettled() {
	s.Helper()
	s.hasAll(accessed)
	s.hasAccess(s.granted)
	s.hasSecret()
	s.remembers()
}

func failed(writes ...string) phasetest.Outcome {
	return phasetest.Failed("BucketAccess app", writes...)
}

func invalid(reason string) phasetest.Outcome {
	return phasetest.Outcome{Events: []string{"Warning FailedGrantAccess of BucketAccess app"}, Err: "Invalid " + reason}
}

func waiting(reason string, writes ...string) phasetest.Outcome {
	return phasetest.Outcome{Writes: writes, Events: []string{"Normal " + reason + " of BucketAccess app"}, Err: "Waiting " + reason}
}
