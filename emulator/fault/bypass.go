package fault

// Bypass turns the seams off, to measure their cost: they record nothing and apply no fault.
// Components must not be crashed meanwhile.
func (s *Set) Bypass(on bool) { s.bypass.Store(on) }

// Bypassed reports whether Bypass is on. A nil Set is an empty one.
func (s *Set) Bypassed() bool { return s != nil && s.bypass.Load() }
