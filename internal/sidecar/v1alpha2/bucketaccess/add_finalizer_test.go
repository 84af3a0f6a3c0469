package bucketaccess

import (
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

const (
	isProtected   = `BucketAccess app: metadata.finalizers=["objectstorage.k8s.io/protection"]`
	isNotFinished = "BucketAccess app: metadata.annotations.objectstorage.k8s.io/sidecar-cleanup-finished is removed"
)

func TestAddFinalizer(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			Name: "no finalizer", Reason: "an access that vanished after the driver had created an account would leak it",
			Given: func(s *scene) { s.hasAccess(withoutFinalizer) },
			Want:  phasetest.Outcome{Writes: []string{accessPatch}, Changes: []string{isProtected}},
		},
		{Name: "finalizer", Reason: "nothing is to be done", Given: func(s *scene) { s.hasAccess() }},
		{
			Name: "annotation of a finished cleanup", Reason: "the controller would release the access without a revocation",
			Given: func(s *scene) { s.hasAccess(cleanedUp) },
			Want:  phasetest.Outcome{Writes: []string{accessPatch}, Changes: []string{isNotFinished}},
		},
		{
			Name: "another component's finalizer", Reason: "it stays",
			Given: func(s *scene) { s.hasAccess(withoutFinalizer, audited) },
			Want: phasetest.Outcome{
				Writes:  []string{accessPatch},
				Changes: []string{`BucketAccess app: metadata.finalizers=["example.com/audit","objectstorage.k8s.io/protection"]`},
			},
		},
		{
			Name: "changed meanwhile", Reason: "finalizers are a list: the patch would drop what another writer has added",
			Given: func(s *scene) {
				s.hasAccess(withoutFinalizer)
				s.Behind(func() { s.Modify(s.access, func() { audited(s.access) }) })
			},
			Want: phasetest.Retried("Conflict", accessPatch+": Conflict"),
		},
		{
			Name: "gone meanwhile", Reason: "there is nothing to grant",
			Given: func(s *scene) { s.hasAccess(withoutFinalizer); s.Behind(func() { s.Remove(s.access) }) },
			Want:  phasetest.Retried("NotFound", accessPatch+": Not Found"),
		},
		{
			Name: "API server fails", Reason: "the driver is not called before",
			Given: func(s *scene) {
				s.hasAccess(withoutFinalizer)
				s.Reject("patch bucketaccesses", http.StatusInternalServerError)
			},
			Want: failed(accessPatch + phasetest.ServerFails),
		},
	}, (*attempt).addFinalizer)
}
