package recording

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

const (
	dirMode  = 0o700
	fileMode = 0o600
)

// Writer writes a recording. It is safe for concurrent use. What cannot be
// written, for instance because the disk is full, does not disturb the run: Close
// tells of it.
type Writer struct {
	mu     sync.Mutex
	to     io.WriteCloser
	path   string
	failed error
	last   uint64 // number of the last event
}

// Create makes a file in a directory, which is made if need be, named after the
// scenario and the time, and writes the header. Format, Version and Platform are
// filled in. Only its owner may read the file.
func Create(dir string, h Header) (*Writer, error) {
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
	w.path = path
	return w, nil
}

func create(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fileMode)
}

// NewWriter writes the header to anything that can be written to.
func NewWriter(to io.WriteCloser, h Header) *Writer {
	h.Format, h.Version, h.Platform = Format, Version, runtime.GOOS+"/"+runtime.GOARCH
	w := &Writer{to: to}
	w.write(&Entry{Header: &h})
	return w
}

// Path returns the path of the file; empty if there is none.
func (w *Writer) Path() string { return w.path }

// Event records an event. Events come in the order of their numbers; one that has
// been recorded already is left out.
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

// State records what the oracles judge besides the events.
func (w *Writer) State(state []byte) { w.write(&Entry{State: state}) }

// End records how the run ended.
func (w *Writer) End(e End) { w.write(&Entry{End: &e}) }

func (w *Writer) write(e *Entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.put(e)
}

// put writes a line in one piece.
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

// Close ends the recording. It returns the first error there was.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return errors.Join(w.failed, w.to.Close())
}
