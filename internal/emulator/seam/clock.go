package seam

import (
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
)

// Now is the time that the component reads, if it reads it here: the system's, unless
// a fault that has not been removed has put its clock forward or back.
func (i *Incarnation) Now() time.Time {
	now := time.Now()
	by := i.clock.Load()
	if by == nil {
		return now
	}
	select {
	case <-by.Done():
		return now
	default:
		return now.Add(by.Effect.Clock)
	}
}

// offsetClock puts the clock of the component forward or back.
func (i *Incarnation) offsetClock(by *fault.Applied) { i.clock.Store(by) }
