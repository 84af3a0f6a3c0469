package explore

import (
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/explore/run"
)

// TestTerminal: a scenario whose objects cannot become as it expects is reported with the cause, and no fault is tried.
func TestTerminal(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts control planes")
	}
	const (
		head  = "apiVersion: cosi-emu/v1alpha1\nkind: Scenario\nname: wrong\n"
		claim = "steps:\n- apply: {kind: BucketClaim, metadata: {name: photos}, spec: {bucketClassName: \"CLASS\", protocols: [S3]}}\n"
		quota = "classes: [{name: q, parameters: {quotaBytes: lots}}]"
		odd   = ` failed with InvalidArgument: parameter quotaBytes is "lots"`
	)
	newReady := "- expect: {BucketClaim/photos: {status: {readyToUse: true}}}\n  timeout: 1h\n"
	oldReady := strings.ReplaceAll(newReady, "readyToUse", "bucketReady")
	misspelt, parameter := strings.ReplaceAll(claim, "CLASS", "nonesuch"), strings.ReplaceAll(claim, "CLASS", "${classes.q}")
	for name, tc := range map[string]struct{ scenario, want string }{
		"Class":         {misspelt + newReady, `BucketClaim "photos": BucketClass "nonesuch" not found`},
		"ClassV1alpha1": {"setup: {api: v1alpha1}\n" + misspelt + oldReady, `BucketClaim "photos": BucketClass "nonesuch" not found`},
		"Parameter": {
			"setup: {" + quota + "}\n" + parameter + newReady,
			`Bucket "bc-<BucketClaim/photos>": DriverGenerateBucketId` + odd,
		},
		"ParameterV1alpha1": {
			"setup: {api: v1alpha1, " + quota + "}\n" + parameter + oldReady,
			`Bucket "bucket-<BucketClaim/photos>": DriverCreateBucket` + odd,
		},
	} {
		t.Run(name, func(t *testing.T) {
			opts := Options{File: "wrong.yaml", Text: []byte(head + tc.scenario), Sandboxes: 1, Shrink: true, Emulator: embedded()}
			r, err := Explore(t.Context(), opts)
			if err != nil {
				t.Fatal(err)
			}
			if r.Tried+r.Runs != 0 || !r.Failed() || r.Baseline == nil || !r.Baseline.Terminal {
				t.Errorf("%d tried in %d runs, failed: %t, baseline %+v; want a failure, and no fault", r.Tried, r.Runs, r.Failed(), r.Baseline)
			}
			if len(r.Findings) != 1 {
				t.Fatalf("%+v, want one finding", r.Findings)
			}
			if g := r.Findings[0]; g.Oracle != run.OracleSteps || !g.Confirmed || !strings.Contains(g.Message, tc.want) {
				t.Errorf("confirmed: %t, %s: %s; want a confirmed %s: %s", g.Confirmed, g.Oracle, g.Message, run.OracleSteps, tc.want)
			}
		})
	}
}
