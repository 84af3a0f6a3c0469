package progress

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	clearLine  = "\r\x1b[K"
	green, red = "\x1b[32m", "\x1b[31m"
	plainText  = "\x1b[0m"
)

// terminal writes a line with a check mark for each ended phase, and redraws a last line for the
// running ones.
type terminal struct {
	w     io.Writer
	width func() int

	mu      sync.Mutex
	running []*activity
	frame   int
	closed  bool

	animation *animation
}

type activity struct {
	phase, detail string
	begin, said   time.Time // said is the time of the last line, without a terminal
	done, total   int       // of the parts that the phase counts
}

func find(running []*activity, phase string) *activity {
	for _, a := range running {
		if a.phase == phase {
			return a
		}
	}
	return nil
}

func newTerminal(w io.Writer, width func() int) *terminal {
	t := &terminal{w: w, width: width}
	t.animation = animate(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.frame++
		t.draw()
	})
	return t
}

func (t *terminal) PhaseStarted(phase string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running = append(t.running, &activity{phase: phase, begin: time.Now()})
	t.draw()
}

func (t *terminal) PhaseProgress(phase, detail string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if a := find(t.running, phase); a != nil {
		a.detail = detail
	}
	t.draw()
}

func (t *terminal) PhaseDone(phase string, done, total int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if a := find(t.running, phase); a != nil {
		a.done, a.total = done, total
	}
	t.draw()
}

func (t *terminal) PhaseNote(phase, text string) { t.Print(fmt.Sprintf("   %s: %s\n", phase, text)) }

// Print writes text above the line of the running phases.
func (t *terminal) Print(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.printf("%s%s", clearLine, text)
	t.draw()
}

func (t *terminal) PhaseEnded(phase string, elapsed time.Duration, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running = slices.DeleteFunc(t.running, func(a *activity) bool { return a.phase == phase })
	mark := paint(green, "✓")
	if err != nil {
		mark = paint(red, "✗")
	}
	t.printf("%s %s %s (%s)\n", clearLine, mark, phase, seconds(elapsed))
	t.draw()
}

func (t *terminal) draw() {
	if len(t.running) == 0 {
		t.printf(clearLine)
		return
	}
	texts := make([]string, len(t.running))
	for i, a := range t.running {
		texts[i] = fmt.Sprintf("%s%s %s", bar(a.done, a.total), a.phase, seconds(time.Since(a.begin)))
		if a.detail != "" {
			texts[i] += " " + a.detail
		}
	}
	line := oneLine(strings.Join(texts, ", "), t.width()-4)
	t.printf("%s %c %s", clearLine, frames[t.frame%len(frames)], line)
}

func (t *terminal) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(t.w, format, args...) // output has no reader
}

// Close ends the animation and clears its line. It may be called more than once.
func (t *terminal) Close() error {
	t.animation.end()
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.printf(clearLine)
	}
	t.closed = true
	return nil
}
