package subprocess

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"github.com/go-logr/logr"
)

// lines logs the output of a process, line by line.
type lines struct {
	logger logr.Logger
	grants *grants // nil for a controller and a sidecar
	tail   *tail
	line   []byte // so far
	more   int    // bytes of the line that are left out
}

// maxLine is how much of a line is logged.
const maxLine = 16 << 10

func (l *lines) Write(p []byte) (int, error) {
	for rest := p; ; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		kept := min(len(line), maxLine-len(l.line))
		l.line = append(l.line, line[:kept]...)
		l.more += len(line) - kept
		if !ended {
			return len(p), nil
		}
		l.log()
		rest = after
	}
}

// flush logs the last line, even without a line break. The process must have ended.
func (l *lines) flush() {
	if len(l.line) > 0 {
		l.log()
	}
}

// log logs the line. A long one ends with a whole word, because half a secret is not known as one.
func (l *lines) log() {
	text := string(l.line)
	if l.more > 0 {
		end := strings.LastIndexAny(text, " \t") + 1
		text = fmt.Sprintf("%s... (and %d bytes)", text[:end], len(text)-end+l.more)
	}
	text = strings.TrimSpace(text)
	l.line, l.more = l.line[:0], 0
	l.grants.after(func() { l.logger.Info(text) })
	l.tail.add(text)
}

// grants delays a driver's output until it has answered the grants in progress. It may print a key
// before it returns the key, and until then the journal does not know that the text is a secret.
type grants struct {
	mu      sync.Mutex
	last    int // number of the last grant
	current map[int]bool
	held    []heldLine
}

// heldLine is a line with the number of grants that had begun when it was printed.
type heldLine struct {
	began int
	log   func()
}

// maxHeld is the maximum number of delayed lines.
const maxHeld = 1000

// after logs a line after the grants in progress.
func (g *grants) after(log func()) {
	if g == nil {
		log()
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held = append(g.held, heldLine{g.last, log})
	g.release()
}

func (g *grants) begin() (end func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last++
	number := g.last
	if g.current == nil {
		g.current = map[int]bool{}
	}
	g.current[number] = true
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.current, number)
		g.release()
	}
}

// release logs the lines that no longer wait for a grant. The caller holds mu, which keeps their
// order.
func (g *grants) release() {
	oldest := g.last + 1
	for number := range g.current {
		oldest = min(oldest, number)
	}
	for len(g.held) > 0 && (g.held[0].began < oldest || len(g.held) > maxHeld) {
		g.held[0].log()
		g.held = g.held[1:]
	}
}

// flush logs all lines. The driver has ended.
func (g *grants) flush() {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.current = nil
	g.release()
}

// tail remembers the last lines of a process. Without redact, it shows none.
type tail struct {
	redact func(string) string // removes secret values
	mu     sync.Mutex
	lines  []string
	panic  string // the line with the reason, before the stack of the goroutine
}

// tailLines is the number of lines in an error.
const tailLines = 5

func (t *tail) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.panic == "" && isPanic(line) {
		t.panic = line[:min(len(line), maxPanic)]
	}
	t.lines = append(t.lines, line)
	t.lines = t.lines[max(0, len(t.lines)-tailLines):]
}

// maxPanic is the maximum length of the reason of a panic.
const maxPanic = 300

// isPanic reports whether the Go runtime prints a line because the program cannot go on.
func isPanic(line string) bool {
	return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")
}

// cause returns the reason of a panic as the continuation of an error, or "".
func (t *tail) cause() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.panic == "" {
		return ""
	}
	return ": " + t.panic
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
