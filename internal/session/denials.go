package session

import (
	"context"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/denial"
)

// followDenials warns of each right that a component lacks, until ctx is done.
func (s *Session) followDenials(ctx context.Context) {
	for event := range s.emulator.Journal().Follow(ctx, 0) {
		denied, ok := denial.Of(event)
		if !ok || !s.watches.addDenial(denied) {
			continue
		}
		if s.opts.Warn != nil {
			s.opts.Warn(denied.String())
		}
		_ = s.publish() // as for definitions
	}
}

// addDenial reports whether a denial is new.
func (w *watches) addDenial(denied denial.Denial) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if slices.Contains(w.denials, denied) {
		return false
	}
	w.denials = append(w.denials, denied)
	return true
}
