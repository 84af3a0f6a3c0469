package bucketaccess

import (
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/sidecar/inflight"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func TestMarkUnready(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			Name: "granted", Reason: "no application should start to use an access that is about to go",
			Given: func(s *scene) { s.hasAccess(granted, leaving) },
			Want:  phasetest.Outcome{Writes: []string{statusPatch}, Changes: []string{withdrawn}},
		},
		{
			Name: "withdrawn", Reason: "nothing is to be done",
			Given: func(s *scene) { s.hasAccess(granted, leaving, unready) },
		},
		{
			Name: "annotation of a finished cleanup, ready", Reason: "from the next write on it would count, while the credentials are valid",
			Given: func(s *scene) { s.hasAccess(granted, cleanedUp, leaving) },
			Want: phasetest.Outcome{
				Writes: []string{accessPatch, statusPatch}, Changes: []string{isNotFinished, withdrawn},
			},
		},
		{
			Name: "annotated meanwhile, which the cache does not show", Reason: "it would count once the access is not ready",
			Given: func(s *scene) {
				s.hasAccess(granted, leaving)
				s.Behind(func() { s.Modify(s.access, func() { cleanedUp(s.access) }) })
			},
			Want: phasetest.Retried("Conflict", statusPatch+": Conflict"),
		},
		{
			Name: "API server fails to remove the annotation", Reason: "the access stays ready",
			Given: func(s *scene) {
				s.hasAccess(granted, cleanedUp, leaving)
				s.Reject("patch bucketaccesses app", http.StatusInternalServerError)
			},
			Want: failed(accessPatch + phasetest.ServerFails),
		},
		{
			Name: "API server fails", Reason: "nothing is taken away while the access is ready",
			Given: func(s *scene) {
				s.hasAccess(granted, leaving)
				s.Reject("patch bucketaccesses/status", http.StatusInternalServerError)
			},
			Want: failed(statusPatch + phasetest.ServerFails),
		},
	}, (*attempt).markUnready)
}

// TestMarkUnreadyForgets: the Secrets of an access that is being deleted no longer count as up to
// date.
func TestMarkUnreadyForgets(t *testing.T) {
	t.Parallel()
	s := newScene(suite.New(t))
	s.hasLeaving()
	s.remembers()
	phasetest.Run(s.Case, s.runner(inflight.NewCalls().Line(), []phase{(*attempt).markUnready}), s.access)
	if left, known := s.reconciler.versions.Get(s.access, s.secret.Name); known {
		t.Errorf("the Secret is remembered in version %v", left)
	}
}

func TestFinishCleanup(t *testing.T) {
	t.Parallel()
	const isFinished = `BucketAccess app: metadata.annotations.objectstorage.k8s.io/sidecar-cleanup-finished=""`
	gone := func(s *scene) { s.hasAccess(granted, leaving, unready) }
	runTable(t, []phaseCase{
		{
			Name: "cleaned up", Reason: "KEP: the controller removes the finalizer, and the sidecar leaves the access alone",
			Given: gone, Want: phasetest.Outcome{Writes: []string{accessPatch}, Changes: []string{isFinished}},
		},
		{
			Name: "account that the cache does not show", Reason: "the controller would release an access that was not revoked",
			Given: func(s *scene) {
				s.hasAccess(leaving)
				s.Behind(func() { s.ModifyStatus(s.access, func() { identified(s.access) }) })
			},
			Want: phasetest.Retried("Conflict", accessPatch+": Conflict"),
		},
		{
			Name: "gone meanwhile", Reason: "nothing is left to hand back",
			Given: func(s *scene) { gone(s); s.Behind(func() { s.ForceRemove(s.access) }) },
			Want:  phasetest.Retried("NotFound", accessPatch+": Not Found"),
		},
		{
			Name: "API server fails", Reason: "it is tried again",
			Given: func(s *scene) { gone(s); s.Reject("patch bucketaccesses", http.StatusInternalServerError) },
			Want:  failed(accessPatch + phasetest.ServerFails),
		},
	}, (*attempt).finishCleanup)
}
