package explore

import "slices"

// rememberStates notes that everything was tried in every situation of the run.
func (e *explorer) rememberStates(o *runResult) {
	for _, s := range pruneKeys(o, PruneState) {
		for _, t := range e.trialsAt(s.point) {
			e.seen[s.state+string(t.Kind)] = true
		}
	}
}

// pair makes cases of two faults: the one of a run, and one more at each situation
// behind it that was not seen before.
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
