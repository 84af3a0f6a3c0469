package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/logfile"
)

const (
	dirMode  = 0o700
	fileMode = 0o600
)

// Writer writes a recording. It is safe for concurrent use. A write error, for instance because the
// disk is full, does not disturb the run: Close returns it.
type Writer struct {
	redact func(json.RawMessage) (json.RawMessage, []string)

	mu     sync.Mutex
	to     io.WriteCloser
	path   string
	failed error
	last   uint64 // number of the last event
}

// Create creates a file, named after the scenario and the time, in a directory, which it creates if
// missing, and writes the header. It sets Format, Version and Platform. Only the owner may read the
// file. When it is closed, redact removes secrets that became known after a line was written.
func Create(dir string, h Header, redact func(json.RawMessage) (json.RawMessage, []string)) (*Writer, error) {
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return nil, fmt.Errorf("make the directory for recordings: %w", err)
	}
	name := h.Scenario
	if name == "" {
		name = "emulator"
	}
	base := filepath.Join(dir, name+"."+h.Started.UTC().Format("20060102-150405.000"))
	path := base + Extension
	file, err := create(path)
	for i := 2; errors.Is(err, os.ErrExist) && i < 1000; i++ {
		path = fmt.Sprintf("%s-%d%s", base, i, Extension)
		file, err = create(path)
	}
	if err != nil {
		return nil, fmt.Errorf("make a recording: %w", err)
	}
	w := NewWriter(file, h)
	w.path, w.redact = path, redact
	return w, nil
}

func create(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fileMode)
}

// NewWriter writes the header to a stream.
func NewWriter(to io.WriteCloser, h Header) *Writer {
	h.Format, h.Version, h.Platform = Format, Version, runtime.GOOS+"/"+runtime.GOARCH
	w := &Writer{to: to}
	w.write(&Entry{Header: &h})
	return w
}

// Path returns the path of the file; empty if there is none.
func (w *Writer) Path() string { return w.path }

// Event records an event. Events must come in the order of their numbers; repeated ones are
// ignored.
func (w *Writer) Event(e journal.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if e.Seq <= w.last {
		return
	}
	w.last = e.Seq
	w.put(&Entry{Event: &e})
}

// Injection records that a fault was added or removed.
func (w *Writer) Injection(i Injection) { w.write(&Entry{Fault: &i}) }

// State records the oracles' input besides the events.
func (w *Writer) State(state []byte) { w.write(&Entry{State: state}) }

// End records how the run ended.
func (w *Writer) End(e End) { w.write(&Entry{End: &e}) }

func (w *Writer) write(e *Entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.put(e)
}

// put writes a line at once.
func (w *Writer) put(e *Entry) {
	if w.failed != nil {
		return
	}
	line, err := seal(e)
	if err == nil && len(line) > maxLine {
		err = fmt.Errorf("a line of %d bytes is more than a recording may have", len(line))
	}
	if err == nil {
		_, err = w.to.Write(line)
	}
	if err != nil {
		w.failed = fmt.Errorf("write the recording: %w", err)
	}
}

// Close ends the recording, and redacts it as a whole. It returns the first error.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := errors.Join(w.failed, w.to.Close())
	if w.redact == nil || w.path == "" {
		return err
	}
	return errors.Join(err, logfile.Rewrite(w.path, w.redactLine))
}

func (w *Writer) redactLine(line []byte) []byte {
	e, err := unseal(line)
	if err != nil {
		return line // truncated, or not ours
	}
	body, err := json.Marshal(e)
	if err != nil {
		return line
	}
	redacted, leaks := w.redact(body)
	if len(leaks) == 0 {
		return line
	}
	e = &Entry{}
	if json.Unmarshal(redacted, e) != nil || e.kind() == "" {
		return nil // a secret must not stay, at the cost of the line
	}
	if e.Event != nil {
		e.Event.Leaks = slices.Concat(e.Event.Leaks, leaks)
	}
	sealed, err := seal(e)
	if err != nil {
		return nil
	}
	return bytes.TrimSuffix(sealed, []byte("\n"))
}
