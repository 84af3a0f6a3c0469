package emulator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/store/administration"
)

// ErrNothingKept is the error of Forget for a component without persistent data.
var ErrNothingKept = errors.New("it keeps nothing that it could forget")

const forgetTimeout = time.Minute

// dataLoss deletes the data of a component. It is nil for a component without data.
type dataLoss func(context.Context) (administration.DataLoss, error)

// loseDataOf deletes the buckets and accounts of one fake driver.
func (e *Emulator) loseDataOf(driver string) dataLoss {
	return func(ctx context.Context) (administration.DataLoss, error) {
		return e.store.Forget(ctx, func(owner string) bool { return owner == driver })
	}
}

// loseAllData deletes all data of the store, except the administrator's key, which users have.
func (e *Emulator) loseAllData(ctx context.Context) (administration.DataLoss, error) {
	return e.store.Forget(ctx, func(owner string) bool { return owner != Administrator })
}

// Forget deletes the data that a component keeps over its incarnations. A fake driver loses the
// buckets and accounts that it has provisioned; the store loses everything except the
// administrator's key. The error is ErrNothingKept without such data, and ErrWrongState if the
// component runs. Forget cancels the restart after a crash by a fault.
func (c *Component) Forget(ctx context.Context) error {
	if c.loseData == nil {
		return fmt.Errorf("forget %s: %w", c.name, ErrNothingKept)
	}
	c.stopRestarting()
	c.operation.Lock()
	defer c.operation.Unlock()
	if _, err := c.handle(eventForget); err != nil {
		return fmt.Errorf("forget %s: %w; stop or crash it first", c.name, err)
	}
	c.awaitPreviousEnd()
	return c.forgetLocked(ctx, "")
}

// forgetLocked deletes the component's data, and records the deleted data in the journal.
func (c *Component) forgetLocked(ctx context.Context, fault string) error {
	ctx, cancel := context.WithTimeout(ctx, forgetTimeout)
	defer cancel()
	_, incarnations := c.State()
	event := c.journal.Begin(c.name, incarnations, journal.SeamProcess, journal.Operation{Name: journal.StepForget})
	lost, err := c.loseData(ctx)
	event.Outcome, event.Fault = journal.OutcomeOK, fault
	if err != nil {
		event.Outcome, event.Message = "Error", err.Error()
	}
	text, failed := json.Marshal(lost)
	event.Response = text
	c.journal.Append(event)
	return errors.Join(err, failed)
}
