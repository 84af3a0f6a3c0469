package explore

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/selection"
	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
)

// TestKnown: a bug that an earlier scenario has shown is the same finding.
func TestKnown(t *testing.T) {
	t.Parallel()
	shown := cause.Group{
		Oracle: "order", Message: `DriverCreateBucket was called for Bucket "a" before it had COSI's finalizer`,
		Explanation: cause.Explanation{Cause: "sidecar DriverCreateBucket: order"}, Confirmed: true,
	}
	again := shown
	again.Message, again.Confirmed = strings.Replace(shown.Message, `"a"`, `"b"`, 1), false
	for name, tc := range map[string]struct {
		reason        string
		first, second func(*cause.Group)
		known         bool
	}{
		"Same":        {reason: "Only the object has another name.", known: true},
		"Cause":       {reason: "Another call is too early.", second: func(g *cause.Group) { g.Cause = "sidecar DriverDeleteBucket: order" }},
		"Message":     {reason: "The driver rejects another parameter.", second: func(g *cause.Group) { g.Message = "another parameter" }},
		"Oracle":      {reason: "Something else shows.", second: func(g *cause.Group) { g.Oracle = "leak" }},
		"Unconfirmed": {reason: "The earlier one was seen once.", first: func(g *cause.Group) { g.Confirmed = false }},
		"Unknown": {
			reason: "The cause is unknown.",
			first:  func(g *cause.Group) { g.Cause = "" }, second: func(g *cause.Group) { g.Cause = "" },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one, two := &Report{Scenario: "one", Findings: []cause.Group{{}, shown}}, &Report{Scenario: "two", Findings: []cause.Group{again}}
			if tc.first != nil {
				tc.first(&one.Findings[1])
			}
			if tc.second != nil {
				tc.second(&two.Findings[0])
			}
			known := knownBugs{}
			known.refer(one)
			known.add(one)
			known.refer(two)
			want := map[cause.Reference][]string{}
			if tc.known {
				want[cause.Reference{Scenario: "one", Finding: 2}] = []string{"two"}
			}
			if diff := cmp.Diff(want, Recurring(one, two)); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestServeForgets: the components of another version of the kinds are other programs, with bugs of their own.
func TestServeForgets(t *testing.T) {
	t.Parallel()
	opts := Options{
		Sandboxes: 1, Emulator: emulator.Options{API: objectstorage.V1alpha1}, plane: &selection.Choice{Kind: kind.Embedded},
	}
	shared := newSharedState(opts)
	for version, want := range map[objectstorage.Version]int{objectstorage.V1alpha1: 1, objectstorage.V1alpha2: 0} {
		shared.known = knownBugs{bug{cause: "sidecar"}: {}}
		shared.pool.Options.Emulator.API = objectstorage.V1alpha1
		opts.Emulator.API = version
		if err := shared.serve(t.Context(), opts); err != nil || len(shared.known) != want {
			t.Errorf("%s after %s: %d bugs are known, %v; want %d", version, objectstorage.V1alpha1, len(shared.known), err, want)
		}
	}
}

// TestAllKnown: the second scenario with a bug refers to the first, and is not confirmed, shrunk and shown again.
func TestAllKnown(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a control plane")
	}
	wrong := strings.Replace(strings.Replace(claim, "${class}", "${classes.q}", 1),
		"steps:", "setup: {classes: [{name: q, parameters: {quotaBytes: lots}}]}\nsteps:", 1)
	var reports []*Report
	sources := []Source{
		{File: "one.yaml", Text: []byte(wrong)}, {File: "two.yaml", Text: []byte(strings.Replace(wrong, "name: claim", "name: two", 1))},
	}
	err := All(t.Context(), Options{Sandboxes: 1, Emulator: embedded()}, sources, func(s Source, r *Report, err error) {
		if err != nil {
			t.Errorf("%s: %v", s.File, err)
		}
		reports = append(reports, r)
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[cause.Reference][]string{{Scenario: "claim", Finding: 1}: {"two"}}
	if diff := cmp.Diff(want, Recurring(reports...)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	var text strings.Builder
	err = reports[1].WriteOf(&text)
	if err != nil || !strings.Contains(text.String(), "same as: finding 1 of claim\n") || !reports[1].Failed() {
		t.Errorf("failed: %t, %v\n%s", reports[1].Failed(), err, text.String())
	}
	shown := Timelines("v1", time.Now(), reports...)
	if len(shown.Scenarios) != 1 {
		t.Fatalf("%d findings are shown, want 1", len(shown.Scenarios))
	}
	if notes := shown.Scenarios[0].Failures[0].Notes; notes[len(notes)-1] != "Also in two" {
		t.Errorf("notes %q, want the other scenario", notes)
	}
}
