package component

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// watch handles exits that Stop, Crash or a fault did not cause.
func (c *Component) watch(i *incarnation) {
	<-i.ended
	c.mu.Lock()
	failed := c.current == i
	if failed {
		_, err := c.transition(eventExit, nil)
		failed = err == nil
	}
	c.mu.Unlock()
	if failed {
		c.fail(i)
	}
}

// fail fences an incarnation that has exited by itself. It reports the failure, or restarts a
// supervised component.
func (c *Component) fail(i *incarnation) {
	i.cancel()
	i.incarnation.Fence()
	err := i.err
	if err == nil {
		err = errors.New("it ended unexpectedly")
	}
	c.recordFailure(i, err)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !c.isExcused(i) && (!c.options.Supervised || !c.hasWorked(i)):
		c.options.Failed(fmt.Errorf("%s: %w", c.options.Name, err))
	case c.state == stateFailed && c.incarnations == i.incarnation.Number():
		c.restartExcused(i)
	}
}

// hasWorked reports whether the component has crossed a seam, in any incarnation, or need not. The journal
// forgets old events: an incarnation that has run for some time counts, too.
func (c *Component) hasWorked(i *incarnation) bool {
	if !c.options.MustWork || i.incarnation.Number() > 1 || time.Since(i.readySince) > stable {
		return true
	}
	return slices.ContainsFunc(c.options.Journal.Since(0), func(e journal.Event) bool {
		return e.Component == c.options.Name && e.Seam != journal.SeamProcess && e.Seam != journal.SeamLog
	})
}

// Excuse marks the exit of the latest incarnation as expected, also before it is ready, so that the
// component restarts. It calls cause with the number of the incarnation, and the journal has what
// cause records before that exit.
func (c *Component) Excuse(cause func(number int)) {
	c.causing <- struct{}{}
	defer func() { <-c.causing }()
	c.mu.Lock()
	c.excused = c.incarnations
	number := c.excused
	c.mu.Unlock()
	cause(number)
}

// recordFailure records that an incarnation has exited by itself, after the cause that is being recorded.
func (c *Component) recordFailure(i *incarnation, err error) {
	c.causing <- struct{}{}
	defer func() { <-c.causing }()
	i.incarnation.Record(journal.StepFail, err)
}

// isExcused reports whether the exit of an incarnation is expected. The caller holds mu.
func (c *Component) isExcused(i *incarnation) bool { return i.incarnation.Number() == c.excused }

// restartExcused starts the incarnation after an excused one. The caller holds c.mu.
func (c *Component) restartExcused(i *incarnation) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(i.killed))
	c.cancelRestart = cancel
	pause := time.Duration(0)
	if !c.isExcused(i) {
		pause = c.pauseAfter(i)
	}
	c.goRestart(func() {
		defer cancel()
		if pause == 0 || sleep(ctx, pause) {
			c.retryStart(ctx, i.incarnation.Number())
		}
	})
}
