package recording

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// Limits of a recording. An event contains two bodies of at most 256 KiB, for which JSON may need
// more space.
const (
	maxLine   = 8 << 20
	maxBytes  = 1 << 30
	maxEvents = 2_000_000
)

// ErrVersion is the error of a recording whose version this program does not know.
var ErrVersion = errors.New("the version of the recording is not known")

// ErrDamaged is the error of a file that is no recording, or was changed.
var ErrDamaged = errors.New("the recording is damaged")

// ReadFile reads a recording from a file.
func ReadFile(path string) (*Recording, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the recording: %w", err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	r, err := Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// Read reads a recording. It ignores a truncated last line, which the program was writing when it
// was killed. Every other change is an error, which wraps ErrDamaged or ErrVersion and names the
// line.
func Read(from io.Reader) (*Recording, error) {
	lines := bufio.NewScanner(io.LimitReader(from, maxBytes))
	lines.Buffer(make([]byte, 64<<10), maxLine)
	lines.Split(wholeLines)
	r := &Recording{}
	number := 0
	for lines.Scan() {
		number++
		if err := r.line(number, lines.Bytes()); err != nil {
			return nil, err
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("%w: line %d is longer than %d bytes", ErrDamaged, number+1, maxLine)
	case err != nil:
		return nil, fmt.Errorf("read the recording: %w", err)
	case number == 0:
		return nil, fmt.Errorf("%w: it has no header", ErrDamaged)
	}
	return r, nil
}

// wholeLines is bufio.ScanLines without a last line that has no end.
func wholeLines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	advance, token, err = bufio.ScanLines(data, atEOF)
	if atEOF && advance == len(data) && advance > 0 && data[advance-1] != '\n' {
		return advance, nil, nil
	}
	return advance, token, err
}

func (r *Recording) line(number int, line []byte) error {
	if number == 1 {
		return r.header(line)
	}
	e, err := unseal(line)
	if err == nil {
		err = r.add(e)
	}
	if err != nil {
		return fmt.Errorf("%w: line %d: %w", ErrDamaged, number, err)
	}
	return nil
}

// header reads the first line, which contains the version in all versions.
func (r *Recording) header(line []byte) error {
	var first struct {
		Header *struct {
			Format  string `json:"format"`
			Version int    `json:"version"`
			Program string `json:"program"`
		} `json:"header"`
	}
	if err := json.Unmarshal(line, &first); err != nil || first.Header == nil || first.Header.Format != Format {
		return fmt.Errorf("%w: line 1 is not the header of a recording", ErrDamaged)
	}
	if version := first.Header.Version; version != Version {
		return fmt.Errorf("%w: it has version %d, written by cosi-emu %s; this program reads version %d: use one of the same version",
			ErrVersion, version, first.Header.Program, Version)
	}
	e, err := unseal(line)
	if err != nil {
		return fmt.Errorf("%w: line 1: %w", ErrDamaged, err)
	}
	r.Header = *e.Header
	return nil
}

func (r *Recording) add(e *Entry) error {
	if r.End != nil {
		return errors.New("there is something behind the end")
	}
	switch {
	case e.Header != nil:
		return errors.New("there is a second header")
	case e.Event != nil:
		if n := len(r.Events); n > 0 && e.Event.Seq <= r.Events[n-1].Seq {
			return fmt.Errorf("event %d comes behind event %d", e.Event.Seq, r.Events[n-1].Seq)
		}
		if len(r.Events) == maxEvents {
			return fmt.Errorf("it has more than %d events", maxEvents)
		}
		r.Events = append(r.Events, *e.Event)
	case e.Fault != nil:
		r.Faults = append(r.Faults, *e.Fault)
	case e.State != nil:
		r.State = e.State
	case e.End != nil:
		r.End = e.End
	}
	return nil
}
