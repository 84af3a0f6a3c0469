package emulator

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// Reporter receives the progress of a start. Phases may overlap. Several goroutines
// call the methods, but only one at a time for each phase.
type Reporter interface {
	// PhaseStarted reports the start of a phase.
	PhaseStarted(phase string)
	// PhaseProgress reports the current work of a long phase.
	PhaseProgress(phase, detail string)
	// PhaseEnded reports the end of a phase; err is nil if it succeeded.
	PhaseEnded(phase string, elapsed time.Duration, err error)
}

// DetailReporter is a Reporter that receives more about long phases.
type DetailReporter interface {
	// PhaseNote reports a message that the user must see, such as the decision to build programs
	// that cannot be downloaded.
	PhaseNote(phase, text string)
	// PhaseDone reports the number of completed parts of a phase. The total is an estimate; 0 means
	// unknown.
	PhaseDone(phase string, done, total int)
}

type nopReporter struct{}

func (nopReporter) PhaseStarted(string)                     {}
func (nopReporter) PhaseProgress(string, string)            {}
func (nopReporter) PhaseEnded(string, time.Duration, error) {}

// StartError is the error of a phase of Start. Everything that was started before is
// stopped.
type StartError struct {
	Phase string
	Err   error
	// Log has the last log lines of the failed component.
	Log []string
}

// Error returns the failed phase, the cause, and the lines of Log, which often contain the only
// explanation.
func (e *StartError) Error() string {
	text := fmt.Sprintf("%s: %v", e.Phase, e.Err)
	if len(e.Log) > 0 {
		text += "\nThe last lines of its log:\n    " + strings.Join(e.Log, "\n    ")
	}
	return text
}

// Unwrap returns the cause.
func (e *StartError) Unwrap() error { return e.Err }

// phase is a step of Start.
type phase struct {
	name string
	run  func(context.Context) error
	// log returns the last log lines of the component that the phase starts.
	log func() []string
}

const failureLogLines = 20

// logOf returns the log lines of a component, for the error of its phase.
func (e *Emulator) logOf(component string) func() []string {
	return func() []string {
		var lines []string
		for _, event := range e.journal.Since(0) {
			if event.Component == component && event.Seam == journal.SeamLog {
				lines = append(lines, event.String())
			}
		}
		return lines[max(0, len(lines)-failureLogLines):]
	}
}

func (e *Emulator) inOrder(ctx context.Context, phases ...phase) error {
	for _, p := range phases {
		if err := e.runPhase(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// together runs phases at the same time; the first error cancels the others.
func (e *Emulator) together(ctx context.Context, phases ...phase) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, p := range phases {
		group.Go(func() error { return e.runPhase(ctx, p) })
	}
	return group.Wait()
}

func (e *Emulator) runPhase(ctx context.Context, p phase) error {
	if err := context.Cause(ctx); err != nil {
		return &StartError{Phase: p.name, Err: err}
	}
	begin := time.Now()
	e.opts.Reporter.PhaseStarted(p.name)
	err := p.run(ctx)
	e.opts.Reporter.PhaseEnded(p.name, time.Since(begin), err)
	if err == nil {
		return nil
	}
	// A phase that was cancelled because another phase failed does not report its own
	// error.
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, context.Canceled) {
		err = cause
	}
	failure := &StartError{Phase: p.name, Err: err}
	if p.log != nil {
		failure.Log = p.log()
	}
	return failure
}
