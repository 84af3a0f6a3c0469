package bucket

import (
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func TestAwaitClaim(t *testing.T) {
	t.Parallel()
	blocked := phasetest.Outcome{
		Writes: []string{statusPatch}, Changes: []string{withdrawn}, Conditions: []string{"ResourcesValidated=True DeletionBlocked"},
		Events: []string{"Normal DeletionBlocked of Bucket b"}, Err: "Blocked DeletionBlocked",
	}
	withdraws := phasetest.Outcome{Writes: []string{statusPatch}, Changes: []string{withdrawn}}
	runTable(t, []phaseCase{
		{
			Name: "claim", Reason: "KEP: the Bucket is deleted by its claim only, whose data it has",
			Given: func(s *scene) { s.hasBucket(provisioned, deleting) }, Want: blocked,
		},
		{
			Name: "claim deleting", Reason: "no application should start to use a bucket that the driver is deleting",
			Given: func(s *scene) { s.hasBucket(provisioned, announced, deleting) }, Want: withdraws,
		},
		{
			Name: "claim deleting, withdrawn", Reason: "nothing is to be done",
			Given: func(s *scene) { s.hasBucket(provisioned, announced, deleting, unready) },
		},
		{
			Name: "never bound", Reason: "there is no claim to wait for",
			Given: func(s *scene) { s.hasBucket(provisioned, unbound, deleting) }, Want: withdraws,
		},
		{
			Name: "changed meanwhile", Reason: "the conditions are a list",
			Given: func(s *scene) {
				s.hasBucket(provisioned, announced, deleting)
				s.Behind(func() { s.Label(s.bucket) })
			},
			Want: phasetest.Retried("Conflict", statusPatch+": Conflict"),
		},
		{
			Name: "API server fails", Reason: "nothing is deleted while the Bucket is ready",
			Given: func(s *scene) {
				s.hasBucket(provisioned, announced, deleting)
				s.Reject("patch buckets/status", http.StatusInternalServerError)
			},
			Want: failed(statusPatch + phasetest.ServerFails),
		},
	}, (*attempt).awaitClaim)
}
