package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
)

// RandomCases returns n cases of two or three faults each. Each case depends only on the seed, its
// index and the names of the trials. The first cases therefore do not depend on n, and one
// operation more or less changes few cases.
func RandomCases(trials []Trial, n int, seed uint64) []Case {
	if len(trials) < 2 {
		return nil
	}
	cases := make([]Case, n)
	for i := range cases {
		lot := fmt.Sprintf("%d/%d", seed, i)
		faults := 2 + int(Hash(lot)%2)
		cases[i] = lowestHashes(trials, faults, lot)
	}
	return cases
}

// Hash hashes a lot, the key of a random choice.
func Hash(lot string) uint64 {
	sum := sha256.Sum256([]byte(lot))
	return binary.BigEndian.Uint64(sum[:])
}

// lowestHashes returns the n trials with the lowest hashes in a lot, in the order of hashes.
func lowestHashes(trials []Trial, n int, lot string) []Trial {
	type numbered struct {
		Trial
		number uint64
	}
	all := make([]numbered, len(trials))
	for i, t := range trials {
		all[i] = numbered{t, Hash(lot + " " + t.String())}
	}
	slices.SortFunc(all, func(a, b numbered) int { return cmp.Compare(a.number, b.number) })
	first := make([]Trial, min(n, len(all)))
	for i := range first {
		first[i] = all[i].Trial
	}
	return first
}

// Sample selects n trials at random, in their order; 0 means all.
func Sample(trials []Trial, n int, seed uint64) []Trial {
	if n == 0 || n >= len(trials) {
		return trials
	}
	chosen := map[string]bool{}
	for _, t := range lowestHashes(trials, n, fmt.Sprint(seed)) {
		chosen[t.String()] = true
	}
	return slices.DeleteFunc(slices.Clone(trials), func(t Trial) bool { return !chosen[t.String()] })
}
