// Package containerlog keeps the output of a container, as `kubectl logs` shows it.
package containerlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/logfile"
)

// fileLimit is the size at which a kubelet rotates the log of a container. One earlier file is kept.
const fileLimit = 10 << 20

// lineLimit is the length at which a line is divided, as in a kubelet's logs.
const lineLimit = 16 << 10

// Log is the output of one run of a container: a line has its time, a space, and the text. It is safe for
// concurrent use.
type Log struct {
	file *logfile.Rotating
	path string

	mu      sync.Mutex
	written int64         // bytes, in all files
	changed chan struct{} // closed at the next change
	closed  bool
}

// Create creates the log of a run.
func Create(path string) (*Log, error) {
	file, err := logfile.OpenRotating(path, fileLimit)
	if err != nil {
		return nil, fmt.Errorf("create the log of a container: %w", err)
	}
	return &Log{file: file, path: path, changed: make(chan struct{})}, nil
}

// Writer returns a writer for one stream of the container. Its Close writes the rest of a line.
func (l *Log) Writer() io.WriteCloser { return &writer{log: l} }

// Close ends the log: those who follow it return.
func (l *Log) Close() error {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.changed)
	}
	l.mu.Unlock()
	return l.file.Close()
}

func (l *Log) line(text []byte) error {
	line := append(time.Now().UTC().AppendFormat(nil, time.RFC3339Nano), ' ')
	line = append(append(line, text...), '\n')
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return os.ErrClosed
	}
	if _, err := l.file.Write(line); err != nil {
		return err
	}
	l.written += int64(len(line))
	close(l.changed)
	l.changed = make(chan struct{})
	return nil
}

// part is what a reader gets at once.
type part struct {
	lines   []byte
	next    int64           // the offset after it
	changed <-chan struct{} // closed when there is more
	closed  bool            // there will be no more
}

// from returns the lines from an offset into all output. Rotation removes the oldest ones.
func (l *Log) from(offset int64) (part, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := part{next: l.written, changed: l.changed, closed: l.closed}
	current, err := size(l.path)
	if err != nil {
		return p, err
	}
	start := l.written - current
	if offset < start {
		earlier, err := size(logfile.Earlier(l.path))
		if err != nil {
			return p, err
		}
		if p.lines, err = readFrom(logfile.Earlier(l.path), max(0, offset-(start-earlier))); err != nil {
			return p, err
		}
		offset = start
	}
	rest, err := readFrom(l.path, offset-start)
	p.lines = append(p.lines, rest...)
	return p, err
}

func size(path string) (int64, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the log of a container: %w", err)
	}
	return info.Size(), nil
}

func readFrom(path string, offset int64) ([]byte, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the log of a container: %w", err)
	}
	defer func() { _ = file.Close() }() // nothing was written
	data, err := io.ReadAll(io.NewSectionReader(file, offset, math.MaxInt64-offset))
	if err != nil {
		return nil, fmt.Errorf("read the log of a container: %w", err)
	}
	return data, nil
}

type writer struct {
	log  *Log
	mu   sync.Mutex
	rest []byte
}

// Write implements io.Writer.
func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for rest := p; len(rest) > 0; {
		line, after, whole := bytes.Cut(rest, []byte{'\n'})
		if cut := lineLimit - len(w.rest); len(line) > cut {
			line, after, whole = rest[:cut], rest[cut:], true
		}
		w.rest, rest = append(w.rest, line...), after
		if !whole {
			break
		}
		if err := w.flush(); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

func (w *writer) flush() error {
	err := w.log.line(w.rest)
	w.rest = w.rest[:0]
	return err
}

// Close implements io.Closer.
func (w *writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.rest) == 0 {
		return nil
	}
	return w.flush()
}
