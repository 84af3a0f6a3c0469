package claimprotection

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func TestWriteStatus(t *testing.T) {
	t.Parallel()
	const (
		patch   = "patch bucketclaims/status photos (resourceVersion)"
		isBound = "BucketClaim photos: status.boundBucketName=b"
	)
	runTable(t, []methodCase{
		{
			Name: "claim", Reason: "the whole status is written",
			Given: func(s *scene) { s.hasClaim() },
			Want:  phasetest.Outcome{Writes: []string{patch}, Changes: []string{isBound, "BucketClaim photos: status.readyToUse=false"}},
		},
		{
			Name: "claim changed meanwhile, which the cache does not show", Reason: "the lock keeps the two apart",
			Given: func(s *scene) { s.hasClaim(); s.Behind(func() { s.Label(s.claim) }) },
			Want:  phasetest.Outcome{Writes: []string{patch + ": Conflict"}, Err: "Conflict"},
		},
		{
			Name: "claim created again meanwhile, which the cache does not show", Reason: "boundBucketName is immutable",
			Given: func(s *scene) { s.hasClaim(); s.Behind(func() { s.replace() }) },
			Want:  phasetest.Outcome{Writes: []string{patch + ": Conflict"}, Err: "Conflict"},
		},
		{
			Name: "claim gone meanwhile, which the cache does not show", Reason: "nothing is left to write",
			Given: func(s *scene) { s.hasClaim(); s.Behind(func() { s.ForceRemove(s.claim) }) },
			Want:  phasetest.Outcome{Writes: []string{patch + ": Not Found"}, Err: "NotFound"},
		},
		{
			Name: "API server fails", Reason: "it is tried again",
			Given: func(s *scene) { s.hasClaim(); s.Reject("patch bucketclaims/status", http.StatusInternalServerError) },
			Want:  phasetest.Outcome{Writes: []string{patch + phasetest.ServerFails}, Err: "InternalError"},
		},
	}, func(ctx context.Context, _ *scene, p *Protector, claim *v1alpha2.BucketClaim) error {
		claim.Status.BoundBucketName = "b"
		return p.WriteStatus(ctx, claim)
	})
}

// TestWriteStatusOfEarlierClaim: the cache already shows that the claim was created again.
func TestWriteStatusOfEarlierClaim(t *testing.T) {
	t.Parallel()
	runTable(t, []methodCase{{
		Name: "created again", Reason: "boundBucketName is immutable, so the new one must not inherit it",
		Given: func(s *scene) { s.hasClaim() },
		Want:  phasetest.Outcome{Err: "Conflict"},
	}}, func(ctx context.Context, _ *scene, p *Protector, claim *v1alpha2.BucketClaim) error {
		claim.UID, claim.Status.BoundBucketName = "earlier", "b"
		return p.WriteStatus(ctx, claim)
	})
}

// TestTurns: one writer at a time writes a claim, and waits no longer than its reconcile lasts.
func TestTurns(t *testing.T) {
	t.Parallel()
	all := newTurns()
	done, err := all.take(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := all.take(ended, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("take of a turn that another writer has: %v, want the error of the context", err)
	}
	done()
	again, err := all.take(t.Context(), "a")
	if err != nil {
		t.Fatalf("take of a turn that was given back: %v", err)
	}
	again()
}
