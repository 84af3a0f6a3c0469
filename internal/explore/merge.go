package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/explore/remote"
)

// Merge joins the states of the shards of one exploration in a file. Then it continues the
// exploration from the file: it confirms and shrinks the findings, and runs the cases that no shard
// has run. The report has the findings of all shards. It returns ErrOptions if the states are of
// different scenarios.
//
// A state is a file, a directory of states, s3://BUCKET/KEY, or s3://BUCKET/PREFIX/ for all below
// the prefix.
func Merge(ctx context.Context, out string, states ...string) (report *Report, err error) {
	if states, err = remote.Expand(ctx, os.Getenv, states...); err != nil {
		return nil, err
	}
	merged := &stateFile{done: map[string]bool{}}
	header := stateHeader{}
	var shards []Shard
	for _, path := range states {
		data, err := remote.ReadFile(ctx, os.Getenv, path)
		if err != nil {
			return nil, fmt.Errorf("read a state: %w", err)
		}
		read, results, err := readState(path, data)
		if err != nil {
			return nil, err
		}
		if header.Explored != "" && header.Explored != read.Explored {
			return nil, fmt.Errorf("%w: %s is of another scenario than %s; merge the states of one scenario", ErrOptions, path, states[0])
		}
		header.Explored, header.Scenario = read.Explored, read.Scenario
		shards = append(shards, read.Shard)
		merged.include(results)
	}
	if header.Explored == "" {
		return nil, fmt.Errorf("%w: no state to merge", ErrOptions)
	}
	report = merged.report(header.Scenario)
	report.State, report.MissingShards, report.Merged = out, missingShards(shards), len(states)
	return report, merged.writeAll(out, header)
}

// include adds the results that are missing.
func (s *stateFile) include(results []caseResult) {
	for _, result := range results {
		if s.done[result.Case.String()] {
			continue
		}
		s.done[result.Case.String()] = true
		s.old = append(s.old, result)
	}
}

func (s *stateFile) report(scenario string) *Report {
	report := &Report{Scenario: scenario}
	var found []caseResult
	for _, result := range s.old {
		report.Runs += result.Runs
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
	slices.SortFunc(found, func(a, b caseResult) int { return cmp.Compare(a.Case.String(), b.Case.String()) })
	slices.Sort(report.Unreached)
	report.Findings = group(found)
	return report
}

func (s *stateFile) writeAll(path string, header stateHeader) (err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, stateMode)
	if err != nil {
		return fmt.Errorf("create the merged state: %w", err)
	}
	to := &stateFile{file: file}
	errs := []error{to.write(header)}
	for _, result := range s.old {
		errs = append(errs, to.write(result))
	}
	return errors.Join(append(errs, file.Close())...)
}

func missingShards(shards []Shard) []Shard {
	count := slices.MaxFunc(shards, func(a, b Shard) int { return cmp.Compare(a.Count, b.Count) }).Count
	if slices.Contains(shards, Shard{}) {
		return nil // one has explored everything
	}
	var missing []Shard
	for i := range count {
		if s := (Shard{i + 1, count}); !slices.Contains(shards, s) {
			missing = append(missing, s)
		}
	}
	return missing
}
