package scale

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/test/bench/figure"
)

func TestWeigh(t *testing.T) {
	const pairs = 2
	s, m := newTestEnvironment(t), newRequestCounter()
	err := s.withComponents(t.Context(), m, func() error {
		before, after, later, err := s.weigh(t.Context(), m, pairs)
		checkFigures(t, []figure.Figure{memoryFigure(pairs, before, after, later)}, 1)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
