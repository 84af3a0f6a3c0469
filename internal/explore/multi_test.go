package explore

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/explore/source"
)

// claim is a scenario with sequential steps.
const claim = `
apiVersion: cosi-emu/v1alpha1
kind: Scenario
name: claim
steps:
- apply: {kind: BucketClaim, metadata: {name: photos}, spec: {bucketClassName: "${class}", protocols: [S3]}}
- expect: {BucketClaim/photos: {status: {readyToUse: true}}}
- delete: BucketClaim/photos
- expect: {BucketClaim/photos: absent}
`

// made is a step that applies a claim of another class, which stays.
const made = `
- apply: {kind: BucketClaim, metadata: {name: photos}, spec: {bucketClassName: "other", protocols: [S3]}}
`

// TestAll explores a scenario, one that fails and leaves objects behind, one equal to the first, which is
// not tried again, and one that leaves its sidecar stopped and an object behind.
func TestAll(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts control planes")
	}
	sources := []Source{
		{File: "claim.yaml", Text: []byte(claim)},
		{File: "wrong.yaml", Text: []byte(claim + made + "- stop: sidecar\n- expect: {BucketClaim/other: present}\n  timeout: 100ms\n")},
		{File: "again.yaml", Text: []byte(strings.Replace(claim, "name: claim", "name: again", 1))},
		{File: "stopped.yaml", Text: []byte(claim + "- stop: sidecar\n" + strings.Replace(made, "other", "${class}", 1) +
			"- expect: {BucketClaim/photos: present}\n")}, // its bucket is made once the sidecar runs again
		{File: "namespace.yaml", Text: []byte(claim + "- delete: Namespace/${ns}\n")},
		{File: "never.yaml", Text: []byte(strings.Replace(claim, "name: claim", "name: never\nlabels: {explore: never}", 1))},
		{File: "call.yaml", Text: []byte(claim + "- call: {method: DriverGetInfo}\n")},
	}
	type outcome struct {
		File                    string
		Tried, Pruned, Findings int
		Unfit, Unclean          bool
	}
	var got []outcome
	opts := Options{
		Sandboxes: 1, Kinds: []plan.Kind{plan.CrashAfter}, At: "sidecar rpc DriverCreate*", State: t.TempDir(), Emulator: embedded(),
		Prune: plan.PruneStep, // the controller may write the claim's status before the call or after it
	}
	err := All(t.Context(), opts, sources, func(s Source, r *Report, err error) {
		o := outcome{File: s.File, Unfit: errors.Is(err, source.ErrScenario), Unclean: errors.Is(err, run.ErrUnclean)}
		if r != nil {
			for _, g := range r.Findings {
				t.Logf("%s: %s: %s", s.File, g.Oracle, g.Message)
			}
			o.Tried, o.Pruned, o.Findings = r.Tried, r.Pruned, len(r.Findings)+len(r.Unreached)
		}
		got = append(got, o)
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []outcome{
		{File: "claim.yaml", Tried: 1},
		{File: "wrong.yaml", Pruned: 1, Findings: 1},
		{File: "again.yaml", Pruned: 1},
		{File: "stopped.yaml", Pruned: 1},
		{File: "namespace.yaml", Unfit: true},
		{File: "never.yaml", Unfit: true},
		{File: "call.yaml", Unfit: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestAllBudget verifies that no scenario starts after the budget is exhausted.
func TestAllBudget(t *testing.T) {
	var got error
	err := All(t.Context(), Options{Budget: 1, Emulator: embedded()}, []Source{{File: "claim.yaml", Text: []byte(claim)}},
		func(_ Source, _ *Report, err error) { got = err })
	if err != nil || !errors.Is(got, ErrBudget) {
		t.Errorf("All() = %v, callback error %v, want %v", err, got, ErrBudget)
	}
}
