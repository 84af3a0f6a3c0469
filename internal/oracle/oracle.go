package oracle

import (
	"cmp"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// Judge returns the findings of all oracles, in order and without duplicates. The result depends
// only on the input, which Judge does not change.
func Judge(in observed.Input) []checks.Finding {
	e := evidence.Gather(&in)
	var found []checks.Finding
	for _, name := range vocabulary.OracleNames() {
		found = append(found, checks.Find(name, e)...)
	}
	return deduplicate(found)
}

func deduplicate(found []checks.Finding) []checks.Finding {
	var kept []checks.Finding
	for _, f := range found {
		same := func(other checks.Finding) bool { return other.Oracle == f.Oracle && other.Message == f.Message }
		if !slices.ContainsFunc(kept, same) {
			kept = append(kept, f)
		}
	}
	order := vocabulary.OracleNames()
	slices.SortStableFunc(kept, func(a, b checks.Finding) int {
		return cmp.Compare(slices.Index(order, a.Oracle), slices.Index(order, b.Oracle))
	})
	return kept
}
