package explore

import "math/rand/v2"

// Shuffle orders scenarios by the seed, so that samples within a budget reach each of them sooner
// or later.
func Shuffle(sources []Source, seed uint64) {
	order := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // the order is no secret
	order.Shuffle(len(sources), func(i, j int) { sources[i], sources[j] = sources[j], sources[i] })
}
