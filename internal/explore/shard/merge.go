package shard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/explore/remote"
)

// Merged are the results of the shards of one exploration.
type Merged struct {
	Scenario string
	// Results has each case once.
	Results []cause.Result
	// States is the number of states.
	States int
	// Missing are the shards without a state.
	Missing []Shard
}

// Merge joins states in a new file. If only the file cannot be written, it returns the results with the error.
func Merge(ctx context.Context, out string, states ...string) (*Merged, error) {
	states, err := remote.Expand(ctx, os.Getenv, states...)
	if err != nil {
		return nil, err
	}
	header, merged := stateHeader{}, &Merged{States: len(states)}
	var shards []Shard
	done := map[string]bool{}
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
			return nil, fmt.Errorf("%w: %s is of another scenario than %s; merge the states of one scenario", plan.ErrOptions, path, states[0])
		}
		header.Explored, header.Scenario = read.Explored, read.Scenario
		shards = append(shards, read.Shard)
		for _, result := range results {
			if !done[result.Case.String()] {
				done[result.Case.String()] = true
				merged.Results = append(merged.Results, result)
			}
		}
	}
	if header.Explored == "" {
		return nil, fmt.Errorf("%w: no state to merge", plan.ErrOptions)
	}
	merged.Scenario, merged.Missing = header.Scenario, missingShards(shards)
	err = merged.write(out, header)
	return merged, err
}

func (m *Merged) write(path string, header stateHeader) (err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, stateMode)
	if err != nil {
		return fmt.Errorf("create the merged state: %w", err)
	}
	to := &State{file: file}
	errs := []error{to.write(header)}
	for _, result := range m.Results {
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
