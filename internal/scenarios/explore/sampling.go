package explore

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
)

// randomCases returns cases of two or three faults each. Each case is drawn by itself, so that
// the first so many are the same however many there are; and from the trials' names, so
// that it is nearly the same when an operation more or less is tried: the order between
// components differs from run to run.
func randomCases(trials []Trial, n int, seed uint64) []Case {
	if len(trials) < 2 { //nolint:mnd // there is nothing to combine
		return nil
	}
	cases := make([]Case, n)
	for i := range cases {
		lot := fmt.Sprintf("%d/%d", seed, i)
		faults := 2 + int(hashOfLot(lot)%2)
		cases[i] = lowestHashes(trials, faults, lot)
	}
	return cases
}

// hashOfLot is a number that a lot decides.
func hashOfLot(lot string) uint64 {
	sum := sha256.Sum256([]byte(lot))
	return binary.BigEndian.Uint64(sum[:])
}

// lowestHashes returns so many of the trials, those whose numbers in a lot are the lowest, in
// the order of these.
func lowestHashes(trials []Trial, n int, lot string) []Trial {
	type numbered struct {
		Trial
		number uint64
	}
	all := make([]numbered, len(trials))
	for i, t := range trials {
		all[i] = numbered{t, hashOfLot(lot + " " + t.String())}
	}
	slices.SortFunc(all, func(a, b numbered) int { return cmp.Compare(a.number, b.number) })
	first := make([]Trial, min(n, len(all)))
	for i := range first {
		first[i] = all[i].Trial
	}
	return first
}

// sample draws so many of the trials, which stay in their order; 0 means all.
func sample(trials []Trial, n int, seed uint64) []Trial {
	if n == 0 || n >= len(trials) {
		return trials
	}
	chosen := map[string]bool{}
	for _, t := range lowestHashes(trials, n, fmt.Sprint(seed)) {
		chosen[t.String()] = true
	}
	return slices.DeleteFunc(slices.Clone(trials), func(t Trial) bool { return !chosen[t.String()] })
}
