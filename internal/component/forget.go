package component

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

// DataLoss deletes the data of a component. It is nil for a component without data.
type DataLoss func(context.Context) (administration.DataLoss, error)

// Forget deletes the data that the component keeps over its incarnations. The error is
// ErrNothingKept without such data, and ErrWrongState if the component runs. Forget cancels the
// restart after a crash by a fault.
func (c *Component) Forget(ctx context.Context) error {
	if c.options.LoseData == nil {
		return fmt.Errorf("forget %s: %w", c.options.Name, ErrNothingKept)
	}
	c.stopRestarting()
	c.operation.Lock()
	defer c.operation.Unlock()
	if _, err := c.handle(eventForget); err != nil {
		return fmt.Errorf("forget %s: %w; stop or crash it first", c.options.Name, err)
	}
	c.awaitPreviousEnd()
	return c.forgetLocked(ctx, "")
}

// forgetLocked deletes the component's data, and records the deleted data in the journal.
func (c *Component) forgetLocked(ctx context.Context, fault string) error {
	ctx, cancel := context.WithTimeout(ctx, forgetTimeout)
	defer cancel()
	_, incarnations := c.State()
	event := c.options.Journal.Begin(c.options.Name, incarnations, journal.SeamProcess, journal.Operation{Name: journal.StepForget})
	lost, err := c.options.LoseData(ctx)
	event.Outcome, event.Fault = journal.OutcomeOK, fault
	if err != nil {
		event.Outcome, event.Message = "Error", err.Error()
	}
	text, failed := json.Marshal(lost)
	event.Response = text
	c.options.Journal.Append(event)
	return errors.Join(err, failed)
}
