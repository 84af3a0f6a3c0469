package recorder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/internal/recording"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// Options configure a Recorder.
type Options struct {
	// Dir is the directory of the recordings. The first recording creates it.
	Dir string
	// All also records scenarios that pass, and writes events as they happen: if the
	// program is killed, Dir/unfinished has the events until then. Without All, only
	// scenarios that do not pass are recorded, at their end.
	All bool
	// Newest limits the number of recordings that stay in Dir when another is written; 0 means no
	// limit.
	Newest int
	// Program is the version of the program.
	Program string
	// Faults are the active faults that no scenario has injected.
	Faults []fault.Fault
}

// Recorder is an outcome.Observer that makes a recording of each scenario. It is
// safe for concurrent use.
type Recorder struct {
	outcome.NopObserver

	options  Options
	emulator *emulator.Emulator
	// kubernetes returns the version of the API server; empty if it does not answer.
	kubernetes func() string

	mu     sync.Mutex
	live   map[*spec.Scenario]*openRecording
	paths  map[string]string
	failed []error
}

// openRecording is the recording of a running scenario. It has the events of all scenarios; the end
// of the scenario selects its own.
type openRecording struct {
	writer *recording.Writer
	stop   func()
}

// New returns a Recorder of the scenarios on an emulator.
func New(emu *emulator.Emulator, options Options) *Recorder {
	return &Recorder{
		options: options, emulator: emu, live: map[*spec.Scenario]*openRecording{}, paths: map[string]string{},
		kubernetes: sync.OnceValue(func() string { return versionOf(emu) }),
	}
}

// ContinueOn records what follows on another emulator, with the same journal; see emulator.Options.After. No scenario may
// be running.
func (r *Recorder) ContinueOn(emu *emulator.Emulator) {
	r.emulator = emu
	r.kubernetes = sync.OnceValue(func() string { return versionOf(emu) })
}

func versionOf(emu *emulator.Emulator) string {
	cfg := emu.Config()
	connection, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return ""
	}
	defer utilnet.CloseIdleConnectionsFor(connection.Transport)
	client, err := discovery.NewDiscoveryClientForConfigAndClient(cfg, connection)
	if err != nil {
		return ""
	}
	version, err := client.ServerVersion()
	if err != nil {
		return ""
	}
	return version.String()
}

// ScenarioStarted implements outcome.Observer.
func (r *Recorder) ScenarioStarted(s *spec.Scenario, namespace string) {
	if !r.options.All || namespace == "" {
		return
	}
	w, err := recording.Create(r.unfinished(), r.header(s, namespace, time.Now()), r.emulator.Journal().RedactJSON)
	if err != nil {
		r.fail(s, err)
		return
	}
	r.inject(w)
	l := &openRecording{writer: w, stop: r.emulator.Journal().Tee(r.emulator.Journal().Mark(), w.Event)}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.live[s] = l
}

func (r *Recorder) unfinished() string { return filepath.Join(r.options.Dir, "unfinished") }

func (r *Recorder) fail(s *spec.Scenario, err error) {
	if err == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = append(r.failed, fmt.Errorf("record scenario %s: %w", s.Name, err))
}

func (r *Recorder) header(s *spec.Scenario, namespace string, started time.Time) recording.Header {
	h := recording.Header{
		Program: r.options.Program, Kubernetes: r.kubernetes(), Started: started, Scenario: s.Name, Namespace: namespace,
		Driver: r.emulator.Info().DriverName, External: r.emulator.Store() == nil && r.emulator.Info().DriverName != "",
	}
	for _, source := range s.Sources {
		h.Files = append(h.Files, recording.File{Name: source.Name, Content: source.Content})
	}
	return h
}

func (r *Recorder) inject(w *recording.Writer) {
	for _, f := range r.options.Faults {
		w.Injection(recording.Injection{Time: time.Now(), Fault: f})
	}
}

// ScenarioEnded implements outcome.Observer.
func (r *Recorder) ScenarioEnded(result outcome.Result) {
	s := result.Scenario
	r.mu.Lock()
	l := r.live[s]
	delete(r.live, s)
	r.mu.Unlock()
	if result.Outcome == outcome.Skipped || (result.Outcome == outcome.Passed && !r.options.All) {
		return
	}
	path, err := r.write(&result)
	r.fail(s, errors.Join(err, r.prune()))
	if l != nil {
		l.stop()
		r.fail(s, errors.Join(l.writer.Close(), os.Remove(l.writer.Path())))
		_ = os.Remove(r.unfinished()) // fails if it is not empty
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.paths[s.Name] = path
}

func (r *Recorder) write(result *outcome.Result) (string, error) {
	w, err := recording.Create(r.options.Dir, r.header(result.Scenario, result.Namespace, result.Started), r.emulator.Journal().RedactJSON)
	if err != nil {
		return "", err
	}
	r.inject(w)
	for _, e := range result.Events(r.emulator.Journal(), result.Scope) {
		w.Event(e)
	}
	state, err := json.Marshal(result.Observed)
	if err != nil {
		return "", errors.Join(err, w.Close())
	}
	w.State(state)
	end := recording.End{Time: result.Started.Add(result.Duration), Outcome: string(result.Outcome)}
	for _, failure := range result.Failures {
		end.Failures = append(end.Failures, failure.Error())
	}
	w.End(end)
	return w.Path(), w.Close()
}

func (r *Recorder) prune() error {
	if r.options.Newest == 0 {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(r.options.Dir, "*"+recording.Extension))
	if err != nil {
		return err
	}
	made := func(file string) time.Time {
		info, err := os.Stat(file)
		if err != nil {
			return time.Time{} // it was removed in the meantime
		}
		return info.ModTime()
	}
	slices.SortFunc(files, func(a, b string) int { return made(a).Compare(made(b)) })
	var failed []error
	for _, file := range files[:max(len(files)-r.options.Newest, 0)] {
		if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// Path returns the file with the recording of a scenario that has ended, or "".
func (r *Recorder) Path(scenario string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.paths[scenario]
}

// Err returns the errors of recordings that could not be written.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(r.failed...)
}
