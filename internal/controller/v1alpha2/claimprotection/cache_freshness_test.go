package claimprotection

import (
	"context"
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

// TestFreshness: a question is asked twice. The API server fails the second time, so an error shows
// that it was asked again.
func TestFreshness(t *testing.T) {
	t.Parallel()
	asked := phasetest.Outcome{Err: "InternalError"}
	cases := []methodCase{
		{Name: "no access", Reason: "the cache has proven to miss nothing", Given: func(s *scene) { s.hasClaim(protected) }},
		{
			Name: "access that the cache does not have", Reason: "the cache is behind, and must not be believed",
			Given: func(s *scene) { s.hasClaim(protected); s.Behind(func() { s.hasAccess("app", handedOff) }) },
			Want:  asked,
		},
		{
			Name: "new access that the cache does not have", Reason: "only this instance hands off, and only what its cache has",
			Given: func(s *scene) { s.hasClaim(protected); s.Behind(func() { s.hasAccess("app") }) },
		},
		{
			Name: "access that was cleaned up", Reason: "it cannot be handed off again",
			Given: func(s *scene) { s.hasClaim(protected); s.hasAccess("app", cleanedUp) },
		},
	}
	t.Run("IsNeeded", func(t *testing.T) {
		t.Parallel()
		runTable(t, cases, twice((*Protector).IsNeeded))
	})
	t.Run("HasHandedOff", func(t *testing.T) {
		t.Parallel()
		mayBeHandedOff := methodCase{
			Name: "access that may be handed off", Reason: "that does not need a new access, so the API server is asked each time",
			Given: func(s *scene) { s.hasClaim(protected); s.hasAccess("app") },
			Want:  asked,
		}
		runTable(t, append([]methodCase{mayBeHandedOff}, cases...), twice((*Protector).HasHandedOff))
	})
}

// twice asks a question, makes the API server fail, and asks it again.
func twice(
	question func(*Protector, context.Context, *v1alpha2.BucketClaim) (bool, error),
) func(context.Context, *scene, *Protector, *v1alpha2.BucketClaim) error {
	return func(ctx context.Context, s *scene, p *Protector, claim *v1alpha2.BucketClaim) error {
		_, err := question(p, ctx, claim)
		s.Must(err)
		s.Reject("get bucketaccesses", http.StatusInternalServerError)
		_, err = question(p, ctx, claim)
		return err
	}
}

// TestFreshnessOfNamespaces: a proof for one namespace does not cover another.
func TestFreshnessOfNamespaces(t *testing.T) {
	t.Parallel()
	s := &scene{Case: suite.New(t)}
	s.hasClaim(protected)
	p := New(s.Client(), s.Live())
	_, err := p.IsNeeded(t.Context(), s.claim)
	s.Must(err)
	if !p.fresh.isProven(s.Namespace) || p.fresh.isProven("elsewhere") {
		t.Errorf("proven: %t for the namespace that was listed, %t for another", p.fresh.isProven(s.Namespace), p.fresh.isProven("elsewhere"))
	}
}
