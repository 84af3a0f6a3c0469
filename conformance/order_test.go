package conformance_test

import (
	"cmp"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/cosi-emu/cosi-emu/conformance"
)

// TestOrder: checks pass alone, in any order, and again, with one driver that keeps its state.
func TestOrder(t *testing.T) {
	t.Parallel()
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("COSI_EMU_TEST_SEED"), "1"), 10, 64)
	if err != nil {
		t.Fatalf("COSI_EMU_TEST_SEED: %v", err)
	}
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // not for cryptography
	all := conformance.Checks()
	d := serve(t, setup{})
	for range 2 {
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for _, c := range all {
			if c.Profile == "End-to-End" {
				continue
			}
			config := d.config()
			config.Only = []string{c.ID}
			report := d.test(config)
			d.wantAll(report)
			if len(report.Results) != 1 {
				t.Errorf("%s alone: %d results", c.ID, len(report.Results))
			}
		}
	}
}
