package suite

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/test/bench/figure"
)

// phases collects how long the phases of several starts took. It is an
// emulator.Reporter.
type phases struct {
	mu    sync.Mutex
	names []string // in the order in which they first ended
	times map[string][]time.Duration
}

// PhaseStarted does nothing: a phase reports its own duration.
func (*phases) PhaseStarted(string) {}

// PhaseProgress does nothing.
func (*phases) PhaseProgress(string, string) {}

// PhaseEnded notes a phase.
func (p *phases) PhaseEnded(phase string, elapsed time.Duration, _ error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.times == nil {
		p.times = map[string][]time.Duration{}
	}
	if p.times[phase] == nil {
		p.names = append(p.names, phase)
	}
	p.times[phase] = append(p.times[phase], elapsed)
}

// String lists the phases with their medians. Some overlap, so that they are
// more than the start.
func (p *phases) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	parts := make([]string, len(p.names))
	for i, name := range p.names {
		parts[i] = fmt.Sprintf("%s %.0f ms", name, figure.Times(p.times[name]).Median)
	}
	return strings.Join(parts, ", ")
}
