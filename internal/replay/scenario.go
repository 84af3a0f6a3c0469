package replay

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
	"github.com/cosi-emu/cosi-emu/internal/recording"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// ErrNoScenario means that a recording has no scenario, because 'cosi-emu up --record' made it.
var ErrNoScenario = errors.New("the recording has no scenario to run")

// Replay is the result of a replay.
type Replay struct {
	// Result is the result of the scenario.
	Result outcome.Result
	// Divergence is nil if the replay equals the recording.
	Divergence *Divergence
	// Compared is the number of recorded operations that were compared.
	Compared int
}

// Scenario reads the scenario of a recording.
func Scenario(r *recording.Recording) (*spec.Scenario, error) {
	if r.Scenario == "" || len(r.Files) == 0 {
		return nil, ErrNoScenario
	}
	loader := spec.Loader{ReadFile: func(name string) ([]byte, error) {
		at := slices.IndexFunc(r.Files, func(f recording.File) bool { return f.Name == name })
		if at < 0 {
			return nil, fmt.Errorf("the recording has no file %q: %w", name, fs.ErrNotExist)
		}
		return []byte(r.Files[at].Content), nil
	}}
	all, err := loader.Parse(r.Files[0].Name, []byte(r.Files[0].Content))
	if err != nil {
		return nil, fmt.Errorf("the scenario in the recording: %w", err)
	}
	at := slices.IndexFunc(all, func(s *spec.Scenario) bool { return s.Name == r.Scenario })
	if at < 0 {
		return nil, fmt.Errorf("%w: %s has no scenario %q", ErrNoScenario, r.Files[0].Name, r.Scenario)
	}
	return all[at], nil
}

// AsScenario runs the scenario of a recording again with the same faults, and compares
// the operations.
func AsScenario(ctx context.Context, r *recording.Recording, emu *emulator.Emulator, options engine.Options) (Replay, error) {
	return replay(ctx, r, emu, options, func(journal.Event) bool { return true })
}

// replay runs the scenario, and compares the events that a filter selects.
func replay(
	ctx context.Context, r *recording.Recording, emu *emulator.Emulator, options engine.Options, counts func(journal.Event) bool,
) (Replay, error) {
	s, err := Scenario(r)
	if err != nil {
		return Replay{}, err
	}
	again := &injector{Observer: options.Observer, recording: r, faults: emu.Faults(), placed: newPlacement(r, emu.Journal())}
	if options.Observer == nil {
		again.Observer = outcome.NopObserver{}
	}
	options.Observer = again
	emu.Faults().Decide(again.placed.decide)
	result := engine.New(emu, options).Run(ctx, s)
	emu.Faults().Decide(nil)
	if err := again.heal(); err != nil {
		return Replay{Result: result}, err
	}
	ignored := func(e journal.Event) bool { return !counts(e) }
	events := slices.DeleteFunc(result.Events(emu.Journal(), result.Scope.Own()), ignored)
	recorded := NewTrace(r.Namespace, slices.DeleteFunc(slices.Clone(r.Events), ignored))
	found := Replay{Result: result, Compared: recorded.Len()}
	if result.Outcome != outcome.Skipped && result.Outcome != outcome.Broken {
		found.Divergence = Diff(recorded, NewTrace(result.Namespace, events))
	}
	return found, nil
}

// injector injects the recorded faults when the scenario starts, with the names of
// this run.
type injector struct {
	outcome.Observer

	recording *recording.Recording
	faults    *fault.Set
	placed    *placement

	mu    sync.Mutex
	added []string
	err   error
}

func (i *injector) ScenarioStarted(s *spec.Scenario, namespace string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.placed.start(namespace)
	for _, injection := range i.recording.Faults {
		f := injection.Fault
		for _, pattern := range []*string{&f.Match.Component, &f.Match.Subject} {
			*pattern = eventscope.UID.ReplaceAllString(eventscope.Replace(*pattern, i.recording.Namespace, namespace), "*")
		}
		if injection.Removed || namespace == "" {
			continue
		}
		i.err = errors.Join(i.err, i.faults.Add(f))
		i.added = append(i.added, f.Name)
	}
	i.Observer.ScenarioStarted(s, namespace)
}

func (i *injector) heal() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, name := range i.added {
		if err := i.faults.Remove(name); !errors.Is(err, fault.ErrUnknown) {
			i.err = errors.Join(i.err, err)
		}
	}
	return i.err
}
