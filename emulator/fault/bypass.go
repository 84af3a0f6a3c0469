package fault

// Bypass turns the seams off: nothing is recorded, and no fault is applied. It is for
// measuring the cost of the seams. Components must not be crashed while it is on.
func (s *Set) Bypass(on bool) { s.bypass.Store(on) }

// Bypassed reports whether Bypass is on. A nil Set is an empty one.
func (s *Set) Bypassed() bool { return s != nil && s.bypass.Load() }
