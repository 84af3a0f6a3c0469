package session

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/internal/adminapi"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
	"github.com/cosi-emu/cosi-emu/internal/oracle/watch"
	"github.com/cosi-emu/cosi-emu/internal/recording"
	"github.com/cosi-emu/cosi-emu/internal/scenario/idle"
)

// record is the recording of a session. The methods of nil do nothing.
type record struct {
	writer   *recording.Writer
	emulator *emulator.Emulator
	watcher  *watch.Watcher
	stop     func()
	failures []string
}

// startRecording starts a requested recording. It includes the events of the start.
func (s *Session) startRecording(ctx context.Context) error {
	if s.opts.Record == "" {
		return nil
	}
	dir, err := filepath.Abs(s.opts.Record) // other processes get the path
	if err != nil {
		return err
	}
	w, err := recording.Create(dir, recording.Header{
		Program: s.opts.Version, Started: s.started, Driver: s.emulator.Info().DriverName,
		External: s.emulator.Store() == nil && s.emulator.Info().DriverName != "",
	}, s.emulator.Journal().RedactJSON)
	if err != nil {
		return err
	}
	s.record = &record{writer: w, emulator: s.emulator, stop: s.emulator.Journal().Tee(0, w.Event)}
	s.record.watcher, err = watch.Start(ctx, s.emulator)
	return err
}

// settle waits until the components are idle, and reports whether they are. It leaves the time for the observation.
func (r *record) settle(ctx context.Context, scope func() eventscope.Scope) bool {
	ctx, cancel := context.WithTimeout(ctx, idle.MaxWait)
	defer cancel()
	return idle.New(r.emulator).WaitSettled(ctx, scope, idle.LongQuiet, func(ctx context.Context) error {
		return idle.ProbeLatency(ctx, r.emulator.Client(), metav1.NamespaceDefault)
	})
}

// observe records the state at the end, which the oracles of a later replay judge. If the state cannot be read, the
// recording has the cause.
func (r *record) observe(ctx context.Context) {
	if r == nil || r.watcher == nil {
		return
	}
	scope := func() eventscope.Scope { return eventscope.Scope{Alone: true} }
	settled := r.settle(ctx, scope)
	ctx, cancel := context.WithTimeout(ctx, idle.MaxWait)
	defer cancel()
	if err := r.watcher.Observe(ctx, "at the end", scope, !settled); err != nil {
		r.failures = append(r.failures, fmt.Sprintf("the state at the end was not read: %v", err))
		return
	}
	input := r.watcher.Input(scope())
	input.Events, input.Incomplete = nil, false // the recording has all of them
	state, err := json.Marshal(input)
	if err != nil {
		r.failures = append(r.failures, err.Error())
		return
	}
	r.writer.State(state)
}

func (r *record) path() string {
	if r == nil {
		return ""
	}
	return r.writer.Path()
}

func (r *record) close() error {
	if r == nil {
		return nil
	}
	r.stop()
	r.writer.End(recording.End{Time: time.Now(), Outcome: "stopped", Failures: r.failures})
	return r.writer.Close()
}

func (r *record) faults(all *fault.Set) adminapi.Faults {
	if r == nil {
		return all
	}
	return &recordedFaults{all, r.writer}
}

type recordedFaults struct {
	*fault.Set

	writer *recording.Writer
}

func (f *recordedFaults) Add(added fault.Fault) error {
	err := f.Set.Add(added)
	if err == nil {
		f.writer.Injection(recording.Injection{Time: time.Now(), Fault: added})
	}
	return err
}

func (f *recordedFaults) Remove(name string) error {
	err := f.Set.Remove(name)
	if err == nil {
		f.removed(name)
	}
	return err
}

func (f *recordedFaults) Clear() {
	for _, status := range f.List() {
		f.removed(status.Name)
	}
	f.Set.Clear()
}

func (f *recordedFaults) removed(name string) {
	f.writer.Injection(recording.Injection{Time: time.Now(), Fault: fault.Fault{Name: name}, Removed: true})
}
