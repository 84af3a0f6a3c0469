package session

import (
	"path/filepath"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/internal/adminapi"
	"github.com/cosi-emu/cosi-emu/internal/recording"
)

// record is the recording of a session. The methods of nil do nothing.
type record struct {
	writer *recording.Writer
	stop   func()
}

// startRecording starts a requested recording. It includes the events of the start.
func (s *Session) startRecording() error {
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
	s.record = &record{writer: w, stop: s.emulator.Journal().Tee(0, w.Event)}
	return nil
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
	r.writer.End(recording.End{Time: time.Now(), Outcome: "stopped"})
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
