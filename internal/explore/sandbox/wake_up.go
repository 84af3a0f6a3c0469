package sandbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/scenario/idle"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// restStates are states in which components that have just started do nothing. A component that starts
// has no memory, so the state alone decides. It is safe for concurrent use.
type restStates struct{ known sync.Map }

func (s *restStates) has(state string) bool {
	_, known := s.known.Load(state)
	return known
}

func (s *restStates) add(state string) { s.known.Store(state, true) }

// awaken restarts controller, sidecars and bridge after they have come to rest. A component that then
// changes something has missed the event that should have made it do so.
func (r *running) awaken() error {
	rested := r.seen.State
	state, err := r.restState()
	if err != nil || r.seen.End.Active || r.sandbox.rest.has(state) {
		return err
	}
	mark := r.sandbox.Emulator.Journal().Mark()
	if err := r.sandbox.restart(r.context); err != nil {
		return err
	}
	if err := r.settle(func() bool { return r.seen.State.Equals(rested) }, quietForSure, quietIfStarved); err != nil {
		return err
	}
	changes := r.seen.State.Differences(rested)
	if len(changes) == 0 {
		r.sandbox.rest.add(state)
	}
	for _, change := range changes {
		subject := subjectOf(change.Name)
		r.seen.Found = append(r.seen.Found, checks.Finding{
			Oracle: run.OracleWakeUp, Subject: subject, Events: r.writesSince(mark, change.Name),
			Message: fmt.Sprintf("%s changes after a restart of the components, which had left it as it was: %s", subject, change.Detail),
		})
	}
	return nil
}

// repair creates the classes that an interference has deleted or changed as they were, and waits for what follows.
// What waits for a class must go on without a restart.
func (r *running) repair() error {
	r.idle = idle.New(r.sandbox.Emulator) // the journal does not have the repair
	restored, err := r.sandbox.restoreClasses(r.context)
	if err != nil || !restored {
		return err
	}
	if err := r.settle(func() bool { return true }, quietForSure, quietIfStarved); err != nil {
		return err
	}
	r.seen.Before = append(r.seen.Before, r.seen.End)
	return r.awaken()
}

// subjectOf names a part of the state as findings do: KIND/NAME, or "bucket ID" and "account ID".
func subjectOf(part string) string {
	if inBackend, ok := strings.CutPrefix(part, "backend "); ok {
		return inBackend
	}
	return strings.Replace(part, " ", "/", 1)
}

// restState renders the objects and the classes, on which a component that starts decides, without what differs
// between sandboxes.
func (r *running) restState() (string, error) {
	classes, err := stable([]any{r.seen.End.Objects.BucketClasses, r.seen.End.Objects.AccessClasses})
	return run.ShortText(r.seen.State) + r.seen.Names.In(classes), err
}

// restart restarts the components that work on objects.
func (sb *Sandbox) restart(ctx context.Context) error {
	var errs []error
	for _, c := range sb.Emulator.Components() {
		base := strings.TrimSuffix(c.Name(), vocabulary.ReplicaSuffix)
		if base != emulator.ComponentController && base != emulator.ComponentBridge && !emulator.IsSidecar(base) {
			continue
		}
		if err := c.Restart(ctx); err != nil {
			errs = append(errs, fmt.Errorf("restart %s of a sandbox: %w", c.Name(), err))
		}
	}
	return errors.Join(errs...)
}

// writesSince returns the writes and calls after a mark that concern an object of the state.
func (r *running) writesSince(mark uint64, of string) (numbers []uint64) {
	_, name, _ := strings.Cut(of, " ")
	for _, e := range r.sandbox.Emulator.Journal().Since(mark) {
		if run.IsProgress(e) && e.Seam != journal.SeamStore && !e.Failed() && strings.Contains(r.seen.Names.In(e.Operation.Subject), name) {
			numbers = append(numbers, e.Seq)
		}
	}
	slices.Sort(numbers)
	return numbers
}
