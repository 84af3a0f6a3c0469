package explore

import (
	"cmp"
	"context"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/shard"
)

// Merge joins the states of the shards of one exploration in a file. Then it continues the
// exploration from the file: it confirms and shrinks the findings, and runs the cases that no shard
// has run. The report has the findings of all shards. It returns plan.ErrOptions if the states are of
// different scenarios.
//
// A state is a file, a directory of states, s3://BUCKET/KEY, or s3://BUCKET/PREFIX/ for all below
// the prefix.
func Merge(ctx context.Context, out string, states ...string) (*Report, error) {
	merged, err := shard.Merge(ctx, out, states...)
	if merged == nil {
		return nil, err
	}
	report := &Report{Scenario: merged.Scenario, State: out, Merged: merged.States, MissingShards: merged.Missing}
	var found []cause.Result
	for _, result := range merged.Results {
		report.Runs += result.Runs
		report.Reasons = union(report.Reasons, result.Reasons)
		if len(result.Case) > 1 {
			report.Combined++
		} else {
			report.Tried++
		}
		if !result.Reached {
			report.Unreached = append(report.Unreached, result.Case.String())
		}
		if len(result.Findings) > 0 {
			found = append(found, result)
		}
	}
	slices.SortFunc(found, func(a, b cause.Result) int { return cmp.Compare(a.Case.String(), b.Case.String()) })
	slices.Sort(report.Unreached)
	report.Findings = cause.Groups(found)
	return report, err
}
