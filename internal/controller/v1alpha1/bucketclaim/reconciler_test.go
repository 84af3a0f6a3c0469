package bucketclaim

import (
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func TestAddFinalizer(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			name: "new claim", reason: "nothing that would outlive it exists yet",
			given: func(s *scene) { s.hasClaim(withoutFinalizer) },
			want: phasetest.Outcome{
				Writes:  []string{claimPatch},
				Changes: []string{`BucketClaim photos: metadata.finalizers=["cosi.objectstorage.k8s.io/bucketclaim-protection"]`},
			},
		},
		{name: "finalizer", reason: "nothing is to be done", given: func(s *scene) { s.hasClaim() }},
		{
			name: "changed meanwhile", reason: "finalizers are a list: the patch would drop what another writer has added",
			given: func(s *scene) {
				s.hasClaim(withoutFinalizer)
				s.Behind(func() { s.Modify(s.claim, func() { audited(s.claim) }) })
			},
			want: phasetest.Retried("Conflict", claimPatch+": Conflict"),
		},
		{
			name: "gone meanwhile", reason: "there is nothing to keep",
			given: func(s *scene) { s.hasClaim(withoutFinalizer); s.Behind(func() { s.Remove(s.claim) }) },
			want:  phasetest.Retried("NotFound", claimPatch+": Not Found"),
		},
		{
			name: "API server fails", reason: "no phase comes after it",
			given: func(s *scene) {
				s.hasClaim(withoutFinalizer)
				s.Reject("patch bucketclaims", http.StatusInternalServerError)
			},
			want: failed(claimPatch + serverFailure),
		},
	}, (*attempt).addFinalizer)
}
