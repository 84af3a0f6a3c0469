package explore

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

func TestApart(t *testing.T) {
	t.Parallel()
	found := func(oracles ...string) (all []checks.Finding) {
		for _, o := range oracles {
			all = append(all, checks.Finding{Oracle: o, Events: []uint64{1}})
		}
		return all
	}
	for name, tc := range map[string]struct {
		reason string
		found  []checks.Finding
		want   [][]string
	}{
		"Nothing": {"nothing was found", nil, nil},
		"NoStep": {
			"each has a cause of its own",
			found(vocabulary.Convergence, vocabulary.Order), [][]string{{vocabulary.Convergence}, {vocabulary.Order}},
		},
		"FailedStep": {
			"what the early end shows is a consequence of the step",
			found(vocabulary.Leak, vocabulary.Convergence, vocabulary.Order, run.OracleSteps, vocabulary.Status),
			[][]string{{vocabulary.Order}, {run.OracleSteps, vocabulary.Leak, vocabulary.Convergence, vocabulary.Status}},
		},
	} {
		var got [][]string
		for _, group := range apart(tc.found) {
			var oracles []string
			for _, f := range group {
				oracles = append(oracles, f.Oracle)
			}
			got = append(got, oracles)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %s: -want, +got:\n%s", name, tc.reason, diff)
		}
	}
}
