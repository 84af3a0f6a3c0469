package shard

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
)

// Shard is one part of an exploration across machines. The zero value is the whole.
type Shard struct {
	// Index counts from 1 to Count.
	Index, Count int
}

// Parse returns the shard of a text such as 2/4; empty means all.
func Parse(text string) (Shard, error) {
	if text == "" {
		return Shard{}, nil
	}
	index, count, found := strings.Cut(text, "/")
	i, indexErr := strconv.Atoi(index)
	n, countErr := strconv.Atoi(count)
	if !found || indexErr != nil || countErr != nil || i < 1 || i > n {
		return Shard{}, fmt.Errorf("%w: shard %q is not i/n, with i from 1 to n", plan.ErrOptions, text)
	}
	return Shard{i, n}, nil
}

// VariableIndex is the environment variable in which an Indexed Job of Kubernetes gives each of its
// Pods its number, from 0.
const VariableIndex = "JOB_COMPLETION_INDEX"

// ParseIndexed parses a shard like Parse. It replaces the index in index/n by the number of the Pod
// of an Indexed Job, from the environment.
func ParseIndexed(text string, getenv func(string) string) (Shard, error) {
	count, indexed := strings.CutPrefix(text, "index/")
	if !indexed {
		return Parse(text)
	}
	index, err := strconv.Atoi(getenv(VariableIndex))
	if err != nil || index < 0 {
		return Shard{}, fmt.Errorf("%w: shard %s requires %s, a number from 0, as in a Pod of an Indexed Job; it is %q",
			plan.ErrOptions, text, VariableIndex, getenv(VariableIndex))
	}
	return Parse(fmt.Sprintf("%d/%s", index+1, count))
}

// String returns the shard as Parse reads it.
func (s Shard) String() string {
	if s.Count == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Count)
}

// MarshalText implements encoding.TextMarshaler.
func (s Shard) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Shard) UnmarshalText(text []byte) (err error) {
	*s, err = Parse(string(text))
	return err
}

// has reports whether a case belongs to the shard. The result depends only on the case, so that
// each case is in one shard, and a shard has the same cases on every machine.
func (s Shard) has(c plan.Case) bool {
	return s.Count == 0 || plan.Hash("shard "+c.String())%uint64(s.Count) == uint64(s.Index-1) //nolint:gosec // neither is negative
}

// Select returns the cases that belong to the shard.
func (s Shard) Select(cases []plan.Case) []plan.Case {
	return slices.DeleteFunc(slices.Clone(cases), func(c plan.Case) bool { return !s.has(c) })
}
