package bucketaccess

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
		&v1alpha2.BucketClaim{}, &v1alpha2.Bucket{}, &v1alpha2.BucketAccess{}, &v1alpha2.BucketAccessClass{},
	},
	Index: index.Register,
}

const (
	statusPatch = "patch bucketaccesses/status app (resourceVersion)"
	accessPatch = "patch bucketaccesses app (resourceVersion)"
	protects    = "patch bucketclaims photos (uid)"
	isProtected = `BucketClaim photos: metadata.annotations.objectstorage.k8s.io/has-bucketaccess-references=""`
)

type phase = func(*attempt, context.Context) error

type phaseCase = phasetest.Entry[*scene]

// scene has an access and related objects.
type scene struct {
	*phasetest.Case

	class  *v1alpha2.BucketAccessClass
	access *v1alpha2.BucketAccess
}

func newScene(c *phasetest.Case) *scene { return &scene{Case: c} }

// runTable runs the last phase for the entries of a table, after the others, which read its input.
// Without any, all phases of the reconciler run.
func runTable(t *testing.T, table []phaseCase, phases ...phase) {
	t.Helper()
	phasetest.RunTable(t, &suite, table, newScene, func(s *scene) phasetest.Outcome {
		return phasetest.Run(s.Case, s.runner(phases), s.access)
	})
}

func (s *scene) runner(phases []phase) *cosireconcile.Runner[*v1alpha2.BucketAccess] {
	cached, live := s.Client(), s.Live()
	r := &Reconciler{
		Client: cached, Live: live, Recorder: s.Recorder(), APIErrors: cosievents.NewAPIErrors(s.Recorder()),
		Protector: claimprotection.New(cached, live),
	}
	return phasetest.Walk(r.Runner(), func(p *cosireconcile.Patcher[*v1alpha2.BucketAccess]) *attempt {
		return &attempt{Reconciler: r, Patcher: p}
	}, phases)
}

// hasClass makes the class "keys".
func (s *scene) hasClass(edits ...func(*v1alpha2.BucketAccessClass)) {
	s.Helper()
	s.class = phasetest.Make(s.Case, &v1alpha2.BucketAccessClass{
		ObjectMeta: metav1.ObjectMeta{Name: s.Name("keys")},
		Spec: v1alpha2.BucketAccessClassSpec{
			DriverName: "driver.test", AuthenticationType: v1alpha2.AuthenticationTypeKey, Parameters: map[string]string{"role": "user"},
		},
	}, edits...)
}

func (s *scene) hasClaim(name string, edits ...func(*v1alpha2.BucketClaim)) *v1alpha2.BucketClaim {
	s.Helper()
	claim := phasetest.Make(s.Case, &v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: name, Finalizers: []string{v1alpha2.ProtectionFinalizer}},
		Spec:       v1alpha2.BucketClaimSpec{BucketClassName: "gold", Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3}},
	}, edits...)
	s.ModifyStatus(claim, func() { claim.Status.BoundBucketName = bucket.NameOf(claim) })
	return claim
}

func leaving(claim *v1alpha2.BucketClaim) { claim.DeletionTimestamp = new(metav1.Now()) }

func protected(claim *v1alpha2.BucketClaim) {
	metav1.SetMetaDataAnnotation(&claim.ObjectMeta, v1alpha2.HasBucketAccessReferencesAnnotation, "")
}

func (s *scene) hasBucket(claim *v1alpha2.BucketClaim, edits ...func(*v1alpha2.Bucket)) {
	s.Helper()
	phasetest.Make(s.Case, &v1alpha2.Bucket{
		ObjectMeta: metav1.ObjectMeta{Name: bucket.NameOf(claim), Finalizers: []string{v1alpha2.ProtectionFinalizer}},
		Spec: v1alpha2.BucketSpec{
			DriverName: "driver.test", DeletionPolicy: v1alpha2.DeletionPolicyDelete,
			BucketClaimRef: v1alpha2.BucketClaimReference{Namespace: s.Namespace, Name: claim.Name, UID: claim.UID},
		},
		Status: v1alpha2.BucketStatus{BucketID: "id-of-" + claim.Name, Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3}},
	}, edits...)
}

// hasAccess makes the access "app" to a claim "photos". It has its finalizer, and the initial
// conditions, so that a phase without work writes nothing.
func (s *scene) hasAccess(edits ...func(*v1alpha2.BucketAccess)) {
	s.Helper()
	s.access = s.accessTo("app", "photos")
	for _, edit := range edits {
		edit(s.access)
	}
	s.Make(s.access)
}

func (s *scene) accessTo(name string, claims ...string) *v1alpha2.BucketAccess {
	access := &v1alpha2.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: name, Finalizers: []string{v1alpha2.ProtectionFinalizer}},
		Spec:       v1alpha2.BucketAccessSpec{BucketAccessClassName: s.Name("keys"), Protocol: v1alpha2.ProtocolS3},
	}
	for _, claim := range claims {
		alsoTo(claim)(access)
	}
	condition.For(&access.Status.Conditions, 1)
	return access
}

func alsoTo(claim string) func(*v1alpha2.BucketAccess) {
	return func(access *v1alpha2.BucketAccess) {
		access.Spec.BucketClaims = append(access.Spec.BucketClaims, v1alpha2.BucketClaimAccess{
			BucketClaimName: claim, AccessSecretName: claim,
			AccessModes: v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite},
		})
	}
}

// going deletes the access. The deletion is a second generation, which the conditions have
// observed.
func going(access *v1alpha2.BucketAccess) {
	access.DeletionTimestamp = new(metav1.Now())
	condition.For(&access.Status.Conditions, 2)
}

func withoutFinalizer(access *v1alpha2.BucketAccess) { access.Finalizers = nil }

func audited(access *v1alpha2.BucketAccess) {
	access.Finalizers = append(access.Finalizers, phasetest.Foreign)
}

func rejected(access *v1alpha2.BucketAccess) {
	condition.For(&access.Status.Conditions, 1).
		Set(v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonDriverMismatch, "m")
}

// handedOff gives the access to the sidecar, with the Bucket of a claim.
func handedOff(claim *v1alpha2.BucketClaim) func(*v1alpha2.BucketAccess) {
	return func(access *v1alpha2.BucketAccess) {
		status := &access.Status
		status.DriverName, status.AuthenticationType = "driver.test", v1alpha2.AuthenticationTypeKey
		status.AccessedBuckets = []v1alpha2.AccessedBucket{
			{BucketName: bucket.NameOf(claim), BucketID: "id-of-" + claim.Name, BucketClaimName: claim.Name},
		}
	}
}

// replace deletes a claim by force, and creates it again under its name.
func (s *scene) replace(claim *v1alpha2.BucketClaim, edits ...func(*v1alpha2.BucketClaim)) {
	s.Helper()
	s.ForceRemove(claim)
	s.hasClaim(claim.Name, edits...)
}

func invalid(reason string) phasetest.Outcome {
	return phasetest.Outcome{
		Writes:     []string{statusPatch},
		Conditions: []string{"Provisioned=False " + reason, "ResourcesValidated=False " + reason},
		Events:     []string{"Warning FailedGrantAccess of BucketAccess app"},
		Err:        "Invalid " + reason,
	}
}

func waiting(reason string) phasetest.Outcome {
	return phasetest.Outcome{
		Writes:     []string{statusPatch},
		Conditions: []string{"Provisioned=Unknown " + reason, "ResourcesValidated=Unknown " + reason},
		Events:     []string{"Normal " + reason + " of BucketAccess app"},
		Err:        "Waiting " + reason,
	}
}

func failed(writes ...string) phasetest.Outcome {
	return phasetest.Failed("BucketAccess app", writes...)
}
