package subprocess

import (
	"bytes"
	"strings"
	"sync"

	"github.com/go-logr/logr"
)

// lines takes what a process prints into the log, line by line.
type lines struct {
	logger logr.Logger
	tail   *tail
	rest   []byte
}

// maxLine is how much of a line is kept that does not end.
const maxLine = 16 << 10

// Write implements io.Writer.
func (l *lines) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		line, rest, ended := bytes.Cut(l.rest, []byte("\n"))
		if !ended && len(l.rest) < maxLine {
			return len(p), nil
		}
		l.log(line)
		l.rest = append([]byte(nil), rest...)
	}
}

// flush logs the last line, which may not end. The process must have ended.
func (l *lines) flush() {
	if len(l.rest) > 0 {
		l.log(l.rest)
	}
	l.rest = nil
}

func (l *lines) log(line []byte) {
	text := strings.TrimSpace(string(line))
	l.logger.Info(text)
	l.tail.add(text)
}

// tail remembers the last lines of a process. Without redact, it shows none.
type tail struct {
	redact func(string) string // removes secret values
	mu     sync.Mutex
	lines  []string
}

// tailLines is how many lines an error shows.
const tailLines = 5

func (t *tail) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, line)
	t.lines = t.lines[max(0, len(t.lines)-tailLines):]
}

// String returns the lines as the end of a sentence, or "".
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == 0 || t.redact == nil {
		return ""
	}
	return "; the last lines of its output:\n" + t.redact(strings.Join(t.lines, "\n"))
}
