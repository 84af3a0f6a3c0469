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
