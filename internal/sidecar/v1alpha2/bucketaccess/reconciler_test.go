package bucketaccess

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/inflight"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/secretstore"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func TestReconcile(t *testing.T) {
	t.Parallel()
	const account = "id-ba-uid-app"
	isNew := func(changes []string, writes ...string) phasetest.Outcome {
		o := isGranted(nil, writes...)
		o.Changes = slices.Concat(changes, []string{"BucketAccess app: status.accountID=" + account, isReady})
		o.Changes = append(o.Changes, isFilledFor("photos", account)...)
		o.Changes = append(o.Changes, isReserved("photos")...)
		return o
	}
	grantsNew := "call DriverGrantBucketAccess " + account + " (id-photos)"
	const isFinished = `BucketAccess app: metadata.annotations.objectstorage.k8s.io/sidecar-cleanup-finished=""`
	runTable(t, []phaseCase{
		{
			Name: "new access", Reason: "the Secret comes before the first call, the account before the Grant, and readiness after the credentials",
			Given: func(s *scene) { s.hasBucket("photos"); s.hasAccess() },
			Want:  isNew(nil, creates, generates, statusPatch, grantsNew, updates),
		},
		{
			Name: "new access without its finalizer", Reason: "the finalizer comes before anything else",
			Given: func(s *scene) { s.hasBucket("photos"); s.hasAccess(withoutFinalizer) },
			Want:  isNew([]string{isProtected}, accessPatch, creates, generates, statusPatch, grantsNew, updates),
		},
		{
			Name: "account that was named before a crash", Reason: "no second account is asked for",
			Given: func(s *scene) { s.hasReserved() },
			Want:  isGranted(isFilled("photos"), grants, updates),
		},
		{
			Name: "settled access", Reason: "nothing is written or called",
			Given: func(s *scene) { s.hasGranted(); s.remembers() },
			Want:  phasetest.Outcome{Err: "done"},
		},
		{
			Name: "settled access after a restart", Reason: "it is granted once more, which brings rotated credentials",
			Given: func(s *scene) { s.hasGranted() }, Want: phasetest.Outcome{Writes: []string{grants}},
		},
		{
			Name: "settled access, Bucket deleting", Reason: "the driver must not be asked for credentials to it",
			Given: func(s *scene) { s.hasGranted(); s.Remove(s.bucket) },
			Want: phasetest.Outcome{
				Writes: []string{statusPatch}, Conditions: []string{"ResourcesValidated=False BucketDeleting"},
				Events: []string{"Warning BucketDeleting of BucketAccess app"}, Err: "Invalid BucketDeleting",
			},
		},
		{
			Name: "status that was edited", Reason: "such an access gets no finalizer",
			Given: func(s *scene) {
				s.hasAccess(withoutFinalizer, func(access *v1alpha2.BucketAccess) { access.Status.AuthenticationType = "" })
			},
			Want: invalid(v1alpha2.ReasonDegraded),
		},
		{
			Name: "Bucket that is not provisioned", Reason: "no Secret is created, and the driver is not called",
			Given: func(s *scene) { s.hasBucket("photos", withoutID); s.hasAccess() },
			Want:  waiting(v1alpha2.ReasonWaitingForBucket),
		},
		{
			Name: "Secret of a user", Reason: "the driver is not called",
			Given: func(s *scene) { s.hasBucket("photos"); s.hasAccess(); s.hasSecret(strange) },
			Want:  invalid(v1alpha2.ReasonSecretConflict),
		},
		{
			Name: "access of another driver", Reason: "its sidecar reconciles it",
			Given: func(s *scene) { s.hasBucket("photos"); s.hasAccess(withoutFinalizer, ofOtherDriver) },
		},
		{
			Name: "access that was not handed off", Reason: "the controller prepares it",
			Given: func(s *scene) {
				s.hasAccess(withoutFinalizer, func(access *v1alpha2.BucketAccess) { access.Status = v1alpha2.BucketAccessStatus{} })
			},
		},
		{
			Name:   "deleting access",
			Reason: "it is withdrawn first; its Secret goes before its credentials; the controller gets it back last",
			Given:  func(s *scene) { s.hasAccess(granted, leaving); s.hasSecret(s.filled) },
			Want: phasetest.Outcome{
				Writes: []string{statusPatch, releases, deletes, revokes, accessPatch}, Changes: []string{isFinished, withdrawn, isGone},
				Events: []string{recordsRevoked},
			},
		},
		{
			Name: "deleting access, Secret held by another component", Reason: "the credentials are not revoked",
			Given: func(s *scene) { s.hasLeaving(held, deleted) },
			Want: func() phasetest.Outcome {
				o := blocked(releases, deletes)
				o.Changes = []string{`Secret photos: metadata.finalizers=["example.com/audit"]`}
				return o
			}(),
		},
		{
			Name: "deleting access, driver unavailable", Reason: "it is not handed back",
			Given: func(s *scene) {
				s.hasAccess(granted, leaving, unready)
				s.driver.Fail("DriverRevokeBucketAccess", codes.Unavailable, "later")
			},
			Want: phasetest.Outcome{
				Writes: []string{revokes + ": Unavailable", statusPatch}, Conditions: []string{"ProvisionFailed=True DriverError"},
				Events: []string{"Warning FailedRevokeAccess of BucketAccess app"}, Err: "Failed DriverError", Requeue: true,
			},
		},
		{
			Name: "deleting access that was never granted", Reason: "the Secret was created before the account was named",
			Given: func(s *scene) { s.hasAccess(leaving); s.hasSecret() },
			Want:  phasetest.Outcome{Writes: []string{releases, deletes, accessPatch}, Changes: []string{isFinished, isGone}},
		},
		{
			Name: "access that was cleaned up", Reason: "it is the controller's",
			Given: func(s *scene) { s.hasAccess(granted, cleanedUp, leaving, unready); s.hasSecret() },
		},
		{
			Name: "deleting access of another driver", Reason: "its sidecar revokes it",
			Given: func(s *scene) { s.hasAccess(granted, ofOtherDriver, leaving); s.hasSecret(s.filled) },
		},
		{
			Name: "access that is gone", Reason: "there is nothing to reconcile",
			Given: func(s *scene) { s.access = s.newAccess("gone") },
		},
	})
}

// awaitCached waits until the cache shows the Secret as it is.
func (s *scene) awaitCached() {
	s.Helper()
	s.Must(s.Refresh(s.secret))
	s.Eventually(func() error {
		cached, err := secretstore.ReadVersion(s.Context(), s.reconciler.cached, client.ObjectKeyFromObject(s.secret))
		if err == nil && cached != secretstore.VersionOf(s.secret) {
			err = fmt.Errorf("the cache has the Secret in version %v", cached)
		}
		return err
	})
}

// TestSecondReconcile: the reconciler remembers the state after its first reconcile.
func TestSecondReconcile(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, reason string
		between      func(*scene)
		want         []string
	}{
		{"nothing in between", "no second call is made", func(*scene) {}, []string{grants, updates}},
		{
			"Secret edited in between", "its data is replaced",
			func(s *scene) { s.Modify(s.secret, func() { s.secret.Data = nil }) },
			[]string{grants, updates, grants, updates},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(suite.New(t))
			s.hasBucket("photos")
			s.hasAccess(granted)
			s.hasSecret()
			runner := s.runner(inflight.NewCalls().Line(), nil)
			got := s.Do(s.access, func(ctx context.Context, _ *error) (reconcile.Result, error) {
				_, err := runner.ReconcileObject(ctx, s.access.DeepCopy())
				s.Must(err)
				tc.between(s)
				s.awaitCached()
				return runner.ReconcileObject(ctx, s.access.DeepCopy())
			})
			want := phasetest.Outcome{Writes: tc.want, Changes: isFilled("photos")}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
