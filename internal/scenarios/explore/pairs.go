package explore

import "slices"

// rememberStates marks the prune keys of the run as tried, with all kinds.
func (e *explorer) rememberStates(o *runResult) {
	for _, s := range pruneKeys(o, PruneState) {
		for _, t := range e.trialsAt(s.point) {
			e.seen[s.state+string(t.Kind)] = true
		}
	}
}

// pair adds cases of two faults: the fault of a run, and each trial at a later point whose
// prune key is new.
func (e *explorer) pair(result caseResult) {
	for _, s := range pruneKeys(result.observed, PruneState) {
		for _, t := range e.trialsAt(s.point) {
			key := s.state + string(t.Kind)
			if e.seen[key] {
				e.report.Pruned++
				continue
			}
			e.seen[key] = true
			e.pairs = append(e.pairs, append(slices.Clone(result.Case), t))
		}
	}
}
