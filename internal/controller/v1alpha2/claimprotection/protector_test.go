package claimprotection

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/index"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

var suite = phasetest.Suite{
	Kinds: []client.Object{&v1alpha2.BucketClaim{}, &v1alpha2.BucketAccess{}},
	Index: index.Register,
}

const (
	annotates     = "patch bucketclaims photos (uid)"
	isAnnotated   = `BucketClaim photos: metadata.annotations.objectstorage.k8s.io/has-bucketaccess-references=""`
	unannotates   = "patch bucketclaims photos (resourceVersion)"
	isUnannotated = "BucketClaim photos: metadata.annotations.objectstorage.k8s.io/has-bucketaccess-references is removed"
)

type scene struct {
	*phasetest.Case

	claim *v1alpha2.BucketClaim
}

// methodCase is a case of a method of the Protector, for the claim as the cache shows it.
type methodCase = phasetest.Entry[*scene]

func newScene(c *phasetest.Case) *scene { return &scene{Case: c} }

func runTable(t *testing.T, table []methodCase, method func(context.Context, *scene, *Protector, *v1alpha2.BucketClaim) error) {
	t.Helper()
	phasetest.RunTable(t, &suite, table, newScene, func(s *scene) phasetest.Outcome {
		cached, claim := s.Client(), &v1alpha2.BucketClaim{}
		s.Must(cached.Get(s.Context(), client.ObjectKey{Namespace: s.Namespace, Name: "photos"}, claim))
		p := New(cached, s.Live())
		return s.Do(s.claim, func(ctx context.Context, found *error) (reconcile.Result, error) {
			*found = method(ctx, s, p, claim)
			return reconcile.Result{}, nil
		})
	})
}

func (s *scene) hasClaim(edits ...func(*v1alpha2.BucketClaim)) {
	s.Helper()
	s.claim = phasetest.Make(s.Case, &v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "photos", Finalizers: []string{v1alpha2.ProtectionFinalizer}},
		Spec:       v1alpha2.BucketClaimSpec{BucketClassName: "gold"},
	}, edits...)
}

func protected(claim *v1alpha2.BucketClaim) {
	metav1.SetMetaDataAnnotation(&claim.ObjectMeta, v1alpha2.HasBucketAccessReferencesAnnotation, "")
}

func (s *scene) hasAccess(name string, edits ...func(*v1alpha2.BucketAccess)) *v1alpha2.BucketAccess {
	s.Helper()
	return phasetest.Make(s.Case, &v1alpha2.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: name, Finalizers: []string{v1alpha2.ProtectionFinalizer}},
		Spec: v1alpha2.BucketAccessSpec{
			BucketAccessClassName: "keys", Protocol: v1alpha2.ProtocolS3,
			BucketClaims: []v1alpha2.BucketClaimAccess{{
				BucketClaimName: "photos", AccessSecretName: name,
				AccessModes: v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite},
			}},
		},
	}, edits...)
}

func handedOff(access *v1alpha2.BucketAccess) { access.Status.DriverName = "driver.test" }

func leaving(access *v1alpha2.BucketAccess) { access.DeletionTimestamp = new(metav1.Now()) }

func cleanedUp(access *v1alpha2.BucketAccess) {
	handedOff(access)
	leaving(access)
	metav1.SetMetaDataAnnotation(&access.ObjectMeta, v1alpha2.SidecarCleanupFinishedAnnotation, "")
}

func rejected(access *v1alpha2.BucketAccess) {
	condition.For(&access.Status.Conditions, 1).
		Set(v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonDriverMismatch, "m")
}

// annotate and unannotate edit the claim on the API server.
func (s *scene) annotate() { s.Modify(s.claim, func() { protected(s.claim) }) }

func (s *scene) unannotate() { s.Modify(s.claim, func() { s.claim.Annotations = nil }) }

func (s *scene) replace(edits ...func(*v1alpha2.BucketClaim)) {
	s.Helper()
	s.ForceRemove(s.claim)
	s.hasClaim(edits...)
}

func TestProtectLive(t *testing.T) {
	t.Parallel()
	annotated := phasetest.Outcome{Writes: []string{annotates}, Changes: []string{isAnnotated}}
	runTable(t, []methodCase{
		{
			Name: "claim", Reason: "the answer to the write brings it up to date",
			Given: func(s *scene) { s.hasClaim(); s.Reject("get bucketclaims", http.StatusInternalServerError) },
			Want:  annotated,
		},
		{Name: "protected claim", Reason: "it is read, and not written", Given: func(s *scene) { s.hasClaim(protected) }},
		{
			Name: "annotation removed meanwhile", Reason: "it is set again",
			Given: func(s *scene) { s.hasClaim(protected); s.Behind(s.unannotate) },
			Want:  annotated,
		},
		{
			Name: "annotated meanwhile", Reason: "the same value is written again, which changes nothing",
			Given: func(s *scene) { s.hasClaim(); s.Behind(s.annotate) },
			Want:  phasetest.Outcome{Writes: []string{annotates}},
		},
		{
			Name: "claim created again meanwhile", Reason: "an access to the earlier one does not protect it",
			Given: func(s *scene) { s.hasClaim(); s.Behind(func() { s.replace() }) },
			Want:  phasetest.Outcome{Writes: []string{annotates + ": Unprocessable Entity"}, Err: "Conflict"},
		},
		{
			Name: "protected claim created again meanwhile", Reason: "an access to the earlier one does not protect it",
			Given: func(s *scene) { s.hasClaim(protected); s.Behind(func() { s.replace(protected) }) },
			Want:  phasetest.Outcome{Err: "Conflict"},
		},
		{
			Name: "protected claim gone meanwhile", Reason: "nothing is left to protect",
			Given: func(s *scene) { s.hasClaim(protected); s.Behind(func() { s.ForceRemove(s.claim) }) },
			Want:  phasetest.Outcome{Err: "NotFound"},
		},
		{
			Name: "API server rejects the patch", Reason: "only the rejection of the UID is a conflict",
			Given: func(s *scene) { s.hasClaim(); s.Reject("patch bucketclaims", http.StatusUnprocessableEntity) },
			Want:  phasetest.Outcome{Writes: []string{annotates + ": Unprocessable Entity"}, Err: "Invalid"},
		},
	}, func(ctx context.Context, s *scene, p *Protector, claim *v1alpha2.BucketClaim) error {
		err := p.ProtectLive(ctx, claim)
		live := &v1alpha2.BucketClaim{}
		if err == nil {
			s.Must(s.Get(ctx, client.ObjectKeyFromObject(claim), live))
			if claim.ResourceVersion != live.ResourceVersion || !IsProtected(claim) {
				s.Errorf("the claim of version %s is not brought up to date: %v", live.ResourceVersion, claim.ObjectMeta)
			}
		}
		return err
	})
}

func TestUnprotect(t *testing.T) {
	t.Parallel()
	released := phasetest.Outcome{Writes: []string{unannotates}, Changes: []string{isUnannotated}}
	runTable(t, []methodCase{
		{Name: "claim", Reason: "nothing is to be done", Given: func(s *scene) { s.hasClaim() }},
		{Name: "no access", Reason: "nothing needs the claim", Given: func(s *scene) { s.hasClaim(protected) }, Want: released},
		{Name: "access", Reason: "it needs the claim", Given: func(s *scene) { s.hasClaim(protected); s.hasAccess("app") }},
		{
			Name: "annotated again meanwhile", Reason: "another access has come to need the claim",
			Given: func(s *scene) {
				s.hasClaim(protected)
				s.Before("patch bucketclaims", func() { s.unannotate(); s.annotate() })
			},
			Want: phasetest.Outcome{Writes: []string{unannotates + ": Conflict"}, Err: "Conflict"},
		},
		{
			Name: "claim created again meanwhile", Reason: "the new one keeps its annotation",
			Given: func(s *scene) { s.hasClaim(protected); s.Behind(func() { s.replace(protected) }) },
			Want:  phasetest.Outcome{Writes: []string{unannotates + ": Conflict"}, Err: "Conflict"},
		},
	}, func(ctx context.Context, _ *scene, p *Protector, claim *v1alpha2.BucketClaim) error {
		return p.Unprotect(ctx, claim)
	})
}

func TestNeeds(t *testing.T) {
	t.Parallel()
	type answer struct {
		Needed, HandedOff bool
		Names             []string
	}
	cases := []struct {
		name   string
		reason string
		given  func(*scene)
		want   answer
	}{
		{"no access", "nothing needs the claim", func(*scene) {}, answer{}},
		{"access", "it may get credentials", func(s *scene) { s.hasAccess("app") }, answer{true, false, []string{"app"}}},
		{
			"access that was handed off", "it may have credentials",
			func(s *scene) { s.hasAccess("app", handedOff) }, answer{true, true, []string{"app"}},
		},
		{
			"deleting access that was handed off", "the sidecar has to revoke it",
			func(s *scene) { s.hasAccess("app", handedOff, leaving) }, answer{true, true, []string{"app"}},
		},
		{"deleting access", "it gets no credentials", func(s *scene) { s.hasAccess("app", leaving) }, answer{}},
		{"access that was cleaned up", "it has no credentials any more", func(s *scene) { s.hasAccess("app", cleanedUp) }, answer{}},
		{"rejected access", "it gets no credentials", func(s *scene) { s.hasAccess("app", rejected) }, answer{}},
		{
			"several", "the names are sorted",
			func(s *scene) {
				s.hasAccess("b")
				s.hasAccess("c", handedOff)
				s.hasAccess("a")
				s.hasAccess("d", rejected)
			},
			answer{true, true, []string{"a", "b", "c"}},
		},
		{
			"access to another claim", "it does not need this one",
			func(s *scene) {
				s.hasAccess("app", handedOff, func(a *v1alpha2.BucketAccess) { a.Spec.BucketClaims[0].BucketClaimName = "videos" })
			},
			answer{},
		},
		{
			"access that the cache does not have", "the API server is asked; messages have the names of the cache",
			func(s *scene) { s.Behind(func() { s.hasAccess("app", handedOff) }) }, answer{true, true, nil},
		},
		{
			"hand-off that the cache does not have", "the API server is asked",
			func(s *scene) {
				access := s.hasAccess("app", leaving)
				s.Behind(func() { s.ModifyStatus(access, func() { handedOff(access) }) })
			},
			answer{true, true, nil},
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := &scene{Case: suite.New(t)}
			s.hasClaim(protected)
			tc.given(s)
			p := New(s.Client(), s.Live())
			var got answer
			var err error
			got.Needed, err = p.IsNeeded(t.Context(), s.claim)
			s.Must(err)
			got.HandedOff, err = p.HasHandedOff(t.Context(), s.claim)
			s.Must(err)
			names, err := p.AccessesOf(t.Context(), s.claim)
			s.Must(err)
			got.Names = append(got.Names, names...)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
