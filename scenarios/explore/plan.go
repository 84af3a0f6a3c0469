package explore

import (
	"math/rand/v2"
	"slices"
)

// draw returns cases of two or three faults each. Each case is drawn from a seed of
// its own, so that the first so many are the same however many there are.
func draw(trials []Trial, n int, seed uint64) []Case {
	if len(trials) < 2 { //nolint:mnd // there is nothing to combine
		return nil
	}
	cases := make([]Case, n)
	for i := range cases {
		random := rand.New(rand.NewPCG(seed, uint64(i))) //nolint:gosec // it is to be repeatable
		faults := min(2+random.IntN(2), len(trials))
		for _, at := range random.Perm(len(trials))[:faults] {
			cases[i] = append(cases[i], trials[at])
		}
	}
	return cases
}

// sample draws so many of the trials, which stay in their order; 0 means all.
func sample(trials []Trial, n int, seed uint64) []Trial {
	if n == 0 || n >= len(trials) {
		return trials
	}
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // it is to be repeatable
	drawn := random.Perm(len(trials))[:n]
	slices.Sort(drawn)
	some := make([]Trial, n)
	for i, at := range drawn {
		some[i] = trials[at]
	}
	return some
}
