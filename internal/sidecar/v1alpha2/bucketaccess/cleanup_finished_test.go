package bucketaccess

import (
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

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
