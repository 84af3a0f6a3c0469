package explore

import (
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// TestAllowing: the printed lines are valid in a scenario, and accept the finding with the names of any run.
func TestAllowing(t *testing.T) {
	const scenario = "apiVersion: cosi-emu/v1alpha1\nkind: Scenario\nname: one\nallow:\nLINE\nsteps:\n- crash: sidecar\n"
	for name, tc := range map[string]struct{ found, raw string }{
		"Quotes": {
			`DriverCreateBucket was called for Bucket "bc-<BucketClaim/photos>" before it had COSI's finalizer`,
			`DriverCreateBucket was called for Bucket "bc-0c8db399" before it had COSI's finalizer`,
		},
		"Numbers":   {`account ba-<BucketAccess/app> is left after 3.2s`, `account ba-7d21 is left after 41ms`},
		"OneObject": {`bucket "b" has no owner`, `bucket "c" has no owner`},
	} {
		t.Run(name, func(t *testing.T) {
			line, ok := allowing(checks.Finding{Oracle: vocabulary.Order, Message: tc.found})
			if !ok {
				t.Fatal("no line accepts it")
			}
			all, err := spec.Loader{}.Parse("one.yaml", []byte(strings.Replace(scenario, "LINE", line, 1)))
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if about := all[0].Allow[0].About; about == "" || !strings.Contains(tc.raw, about) {
				t.Errorf("%q is not a part of %q", about, tc.raw)
			}
		})
	}
	e := &explorer{unclean: true, found: []cause.Result{{Findings: []checks.Finding{
		{Oracle: vocabulary.Leak, Message: "a"}, {Oracle: run.OracleSteps, Message: "b"},
	}}}}
	e.baseline.Add([]checks.Finding{{Oracle: run.OracleState, Message: "it differs between runs"}})
	if got := e.baselineReport(); got.Findings != 2 || len(got.Allow) != 1 {
		t.Errorf("%+v, want the two findings that are shown, of which one can be accepted", got)
	}
	if line, ok := allowing(checks.Finding{Oracle: run.OracleState, Message: "Bucket b: exists, but must not"}); ok {
		t.Errorf("a comparison is accepted by %s", line)
	}
}
