package explore

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
)

// TestExploreInterference deletes every object, the class and the namespace at the calls of
// a lifecycle that grant and revoke, and expects no findings of the components of this project.
func TestExploreInterference(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts control planes")
	}
	r, err := Explore(t.Context(), Options{
		File: "testdata/lifecycle.yaml", Text: text(t, "testdata/lifecycle.yaml"), Sandboxes: 2,
		Interference: true, Kinds: []plan.Kind{"delete"}, At: "sidecar rpc Driver*Access *", Emulator: embedded(),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range r.Findings {
		t.Errorf("%s: %s\nwhy: %s\ncases: %v", g.Oracle, g.Message, g.Why, g.Cases)
	}
	if len(r.Unreached) > 0 { // such as the Secret, which the sidecar deletes before it revokes
		t.Errorf("not reached: %q, want none", r.Unreached)
	}
	const least = 20 // five objects at each of two calls, before and after
	if r.Tried < least {
		t.Errorf("%d tried, want at least %d", r.Tried, least)
	}
}
