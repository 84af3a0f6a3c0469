package checks

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

func TestEveryOracleHasACheck(t *testing.T) {
	for _, o := range vocabulary.Oracles() {
		if checks[o.Name] == nil || o.About == "" {
			t.Errorf("oracle %q has no check, or no description", o.Name)
		}
	}
	if got, want := len(checks), len(vocabulary.Oracles()); got != want {
		t.Errorf("%d checks, want %d", got, want)
	}
}
