package fault

// Bypass has everything pass the seams as if there were none: nothing is recorded,
// and nothing suffers a fault. It is for measuring what the seams cost; components
// cannot be crashed cleanly meanwhile.
func (s *Set) Bypass(on bool) { s.bypass.Store(on) }

// Bypassed reports whether Bypass is on. A nil Set is an empty one.
func (s *Set) Bypassed() bool { return s != nil && s.bypass.Load() }
