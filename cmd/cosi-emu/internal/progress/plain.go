package progress

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

const (
	// announceAfter is the duration after which a line reports the start of a phase. A shorter
	// phase has one line, at its end.
	announceAfter = time.Second
	// lineInterval is the time between two lines of a phase.
	lineInterval = 15 * time.Second
	// plainTick is the interval at which the reporter checks for due lines.
	plainTick = 500 * time.Millisecond
)

// plain writes lines for outputs other than a terminal: at the start and at the end of a phase, and
// every 15 seconds between.
type plain struct {
	mu        sync.Mutex
	w         io.Writer
	running   []*activity
	animation *animation
}

func newPlain(w io.Writer) *plain {
	p := &plain{w: w}
	p.animation = every(plainTick, p.tick)
	return p
}

func (p *plain) PhaseStarted(phase string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = append(p.running, &activity{phase: phase, begin: time.Now()})
}

func (p *plain) PhaseProgress(phase, detail string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if a := find(p.running, phase); a != nil {
		a.detail = detail
	}
}

func (p *plain) PhaseNote(phase, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.printf("%s: %s\n", phase, text)
}

func (p *plain) PhaseDone(string, int, int) {}

func (p *plain) PhaseEnded(phase string, elapsed time.Duration, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = slices.DeleteFunc(p.running, func(a *activity) bool { return a.phase == phase })
	if err != nil {
		p.printf("%s: failed after %s\n", phase, seconds(elapsed))
		return
	}
	p.printf("%s: done in %s\n", phase, seconds(elapsed))
}

// tick writes the lines that are due.
func (p *plain) tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range p.running {
		switch elapsed := time.Since(a.begin); {
		case a.said.IsZero() && elapsed >= announceAfter:
			a.said = a.begin
			p.printf("%s: started\n", a.phase)
		case !a.said.IsZero() && time.Since(a.said) >= lineInterval:
			a.said = time.Now()
			p.printf("%s\n", a.line(elapsed))
		}
	}
}

// line describes a running phase.
func (a *activity) line(elapsed time.Duration) string {
	if a.detail == "" {
		return fmt.Sprintf("%s: running for %s", a.phase, elapsed.Round(time.Second))
	}
	return fmt.Sprintf("%s: %s, after %s", a.phase, a.detail, elapsed.Round(time.Second))
}

func (p *plain) Print(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.printf("%s", text)
}

func (p *plain) Close() error {
	p.animation.end()
	return nil
}

func (p *plain) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(p.w, format, args...) // output has no reader
}
