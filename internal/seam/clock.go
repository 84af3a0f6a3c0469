package seam

import (
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
)

// Now is the time for the component: the system time, plus the offset of an active clock fault.
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

// offsetClock changes the component's clock.
func (i *Incarnation) offsetClock(by *fault.Applied) { i.clock.Store(by) }
