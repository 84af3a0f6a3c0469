package progress

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/counted"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// Scenarios shows the progress of scenarios. It must be closed after them.
type Scenarios struct {
	outcome.Observer
	io.Closer
}

// NewScenarios returns the display for w, which may be a terminal.
func NewScenarios(w io.Writer, total int) Scenarios {
	if file, ok := onTerminal(w); ok {
		s := newLive(file, func() int { return width(file) }, total)
		return Scenarios{s, s}
	}
	s := newLines(w, total)
	return Scenarios{s, s}
}

// lines writes a line at the start and at the end, one for each failed scenario, and otherwise at
// most one every 15 seconds.
type lines struct {
	outcome.NopObserver

	mu        sync.Mutex
	w         io.Writer
	tally     tally
	said      time.Time
	closed    bool
	animation *animation
}

func newLines(w io.Writer, total int) *lines {
	l := &lines{w: w, tally: tally{total: total, begin: time.Now()}, said: time.Now()}
	l.printf("running %s\n", counted.Of(total, "scenario"))
	l.animation = every(plainTick, l.tick)
	return l
}

// tick writes the line of the progress when it is due.
func (l *lines) tick() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.said) >= lineInterval {
		l.said = time.Now()
		l.printf("%s\n", &l.tally)
	}
}

func (l *lines) ScenarioEnded(r outcome.Result) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tally.add(r.Outcome)
	if r.Outcome != outcome.Passed && r.Outcome != outcome.Skipped {
		l.printf("[%d/%d] %s\n", l.tally.done(), l.tally.total, resultText(r))
	}
}

func (l *lines) Close() error {
	l.animation.end()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.printf("%s\n", &l.tally)
	}
	l.closed = true
	return nil
}

func (l *lines) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(l.w, format, args...) // output has no reader
}

func resultText(r outcome.Result) string {
	switch {
	case r.Outcome == outcome.Skipped:
		return fmt.Sprintf("skipped %s: %s", r.Scenario.Name, r.Reason)
	case len(r.Failures) > 0:
		failure := r.Failures[0]
		message, _, _ := strings.Cut(failure.Error(), "\n")
		return fmt.Sprintf("%s %s in %s: %s", r.Outcome, r.Scenario.Name, seconds(r.Duration), message)
	}
	return fmt.Sprintf("%s %s in %s", r.Outcome, r.Scenario.Name, seconds(r.Duration))
}

// live has a line for each running scenario, below the lines of finished ones.
type live struct {
	w     io.Writer
	width func() int

	mu        sync.Mutex
	tally     tally
	running   []*scenario
	drawn     int // lines to redraw
	frame     int
	animation *animation
}

// scenario is one that runs.
type scenario struct {
	document *spec.Scenario
	begin    time.Time
	step     *spec.Step
}

// maxLive is the maximum number of redrawn lines, so that they fit on the screen.
const maxLive = 12

func newLive(w io.Writer, width func() int, total int) *live {
	l := &live{w: w, width: width, tally: tally{total: total, begin: time.Now()}}
	l.animation = animate(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.frame++
		l.draw("")
	})
	return l
}

func (l *live) ScenarioStarted(s *spec.Scenario, _ string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running = append(l.running, &scenario{document: s, begin: time.Now()})
	l.draw("")
}

func (l *live) StepStarted(s *spec.Scenario, step *spec.Step) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, running := range l.running {
		if running.document == s {
			running.step = step
		}
	}
}

func (l *live) StepEnded(*spec.Scenario, outcome.StepResult) {}

func (l *live) ScenarioEnded(r outcome.Result) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tally.add(r.Outcome)
	l.running = slices.DeleteFunc(l.running, func(s *scenario) bool { return s.document == r.Scenario })
	l.draw(fmt.Sprintf(" %s %s\n", mark(r.Outcome), oneLine(resultText(r), l.width()-4)))
}

func mark(o outcome.Outcome) string {
	switch o {
	case outcome.Passed:
		return paint(green, "✓")
	case outcome.Skipped:
		return "-"
	default:
		return paint(red, "✗")
	}
}

// draw redraws the lines of running scenarios below a text that stays. It writes everything at
// once, to avoid flicker.
func (l *live) draw(text string) {
	var all strings.Builder
	if l.drawn > 0 {
		fmt.Fprintf(&all, "\x1b[%dA", l.drawn)
	}
	all.WriteString("\r\x1b[J" + text)
	l.drawn = 0
	for _, s := range l.running[:min(len(l.running), maxLive)] {
		line := fmt.Sprintf("%s %s", s.document.Name, seconds(time.Since(s.begin)))
		if s.step != nil {
			line += "  " + strings.TrimSpace(s.step.Verb+" "+s.step.Name)
		}
		fmt.Fprintf(&all, " %c %s\n", frames[l.frame%len(frames)], oneLine(line, l.width()-4))
		l.drawn++
	}
	if len(l.running) > 0 {
		line := bar(l.tally.done(), l.tally.total) + l.tally.String()
		fmt.Fprintf(&all, "   %s\n", oneLine(line, l.width()-4))
		l.drawn++
	}
	_, _ = io.WriteString(l.w, all.String()) // output has no reader
}

// Close ends the animation, and removes its lines.
func (l *live) Close() error {
	l.animation.end()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running = nil
	l.draw("")
	return nil
}
