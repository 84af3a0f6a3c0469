package harness

import (
	"cmp"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
)

// SeedVariable is the environment variable with the seed of a test's random choices.
const SeedVariable = "COSI_EMU_TEST_SEED"

// Seed returns the seed in [SeedVariable]. It defaults to 1.
func Seed(tb testing.TB) uint64 {
	tb.Helper()
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv(SeedVariable), "1"), 10, 64)
	if err != nil {
		tb.Fatalf("%s: %v", SeedVariable, err)
	}
	return seed
}

// Draw returns n of all, drawn with the seed in [SeedVariable]; 0 means all. A test that would
// take hours tries some on each commit, and all each night.
func Draw[T any](tb testing.TB, all []T, n int) []T {
	tb.Helper()
	if n == 0 {
		return all
	}
	seed := Seed(tb)
	drawn := slices.Clone(all)
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // not for cryptography
	random.Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	drawn = drawn[:min(n, len(drawn))]
	tb.Logf("%d of %d, drawn with %s=%d", len(drawn), len(all), SeedVariable, seed)
	return drawn
}
