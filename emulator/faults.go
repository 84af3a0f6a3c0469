package emulator

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/interference"
)

// Faults returns the faults of the emulator, initially none. A fault is active until
// the caller removes it, or until Stop.
func (e *Emulator) Faults() *fault.Set { return e.faults }

const outageTimeout = time.Minute

// outages are the processes of the control plane that faults have killed.
type outages struct {
	mu    sync.Mutex
	ended bool
	down  map[string]chan struct{} // closed when the process runs again
}

// begin reports whether a process can be killed now.
func (o *outages) begin(process string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended || o.down[process] != nil {
		return false
	}
	if o.down == nil {
		o.down = map[string]chan struct{}{}
	}
	o.down[process] = make(chan struct{})
	return true
}

func (o *outages) end(process string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(o.down[process])
	delete(o.down, process)
}

func (o *outages) await(ctx context.Context, processes ...string) error {
	o.mu.Lock()
	all := maps.Clone(o.down)
	o.mu.Unlock()
	if len(processes) > 0 {
		maps.DeleteFunc(all, func(process string, _ chan struct{}) bool { return !slices.Contains(processes, process) })
	}
	for process, up := range all {
		select {
		case <-up:
		case <-ctx.Done():
			return fmt.Errorf("wait for the end of the outage of %s: %w", process, context.Cause(ctx))
		}
	}
	return nil
}

// endFaults removes all faults. It waits for the processes of the control plane, which other
// emulators may use.
func (e *Emulator) endFaults(ctx context.Context) error {
	e.outages.mu.Lock()
	e.outages.ended = true
	e.outages.mu.Unlock()
	e.faults.Clear()
	return e.outages.await(ctx)
}

// outage kills a process of the control plane for a fault. It restarts the process after the
// fault's delay, or when the fault is removed. A second outage of a killed process has no effect.
func (e *Emulator) outage(by *fault.Applied) {
	name := by.Effect.Outage
	if e.plane == nil || !e.outages.begin(name) {
		return
	}
	e.record(name, journal.StepCrash, by.Name, e.plane.KillComponent(name))
	go e.endOutage(by) // Stop waits for it
}

func (e *Emulator) endOutage(by *fault.Applied) {
	name := by.Effect.Outage
	defer e.outages.end(name)
	_ = by.Wait(context.Background(), by.Effect.Down)
	ctx, cancel := context.WithTimeout(context.Background(), outageTimeout)
	defer cancel()
	err := e.plane.StartComponent(ctx, name)
	e.record(name, journal.StepReady, by.Name, err)
	if err != nil {
		e.fail(fmt.Errorf("end of the outage %q: %w", by.Name, err))
	}
}

// startInjector prepares the client for interferences.
func (e *Emulator) startInjector() error {
	a, err := interference.New(e.ownConfig(), e.journal, e.opts.API)
	if err != nil {
		return err
	}
	e.injector.Store(a)
	e.onStop(a.Stop)
	return nil
}

// interfere changes objects for a fault. Before the API server runs, it changes nothing.
func (e *Emulator) interfere(ctx context.Context, by *fault.Applied) {
	if a := e.injector.Load(); a != nil {
		a.Interfere(ctx, by)
	}
}

func (e *Emulator) record(process, step, fault string, err error) {
	event := e.journal.Begin(process, 0, journal.SeamProcess, journal.Operation{Name: step})
	event.Outcome, event.Fault = journal.OutcomeOK, fault
	if err != nil {
		event.Outcome, event.Message = "Error", err.Error()
	}
	e.journal.Append(event)
}
