package replay

import (
	"strings"
	"sync"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/recording"
)

// placement decides that a counted fault applies to the calls that it affected in the recording. By its counts it would
// apply to others if components work on several objects in another order. It is safe for concurrent use.
type placement struct {
	journal *journal.Journal
	// recorded has the faults of the calls, in order, by the component, operation and object; empty if none applied.
	recorded map[string][]string
	// applied are the names of the faults that affected a call. Other faults are decided by their counts.
	applied map[string]bool

	mu   sync.Mutex
	mark uint64      // the last event of the journal that was read
	now  *normalizer // nil until the scenario has its scope
	done map[string]int
}

func newPlacement(r *recording.Recording, j *journal.Journal) *placement {
	p := &placement{journal: j, recorded: map[string][]string{}, applied: map[string]bool{}, mark: j.Mark(), done: map[string]int{}}
	n := newNormalizer(r.Namespace, r.Events)
	for _, e := range r.Events {
		if key, ok := placeOf(n, e.Seam, e.Component, e.Operation); ok {
			name := n.normalize(e.Fault)
			p.recorded[key] = append(p.recorded[key], name)
			p.applied[name] = true
		}
	}
	return p
}

// placeOf returns the key of a call; false for operations that are not placed: of objects that are not the scenario's,
// and of the API server, whose number depends on timing.
func placeOf(n *normalizer, seam journal.Seam, component string, op journal.Operation) (string, bool) {
	subject := n.normalize(op.Subject)
	if seam != journal.SeamRPC && seam != journal.SeamStore || subject == op.Subject {
		return "", false
	}
	return strings.Join([]string{n.normalize(component), string(seam), op.Name, subject}, " "), true
}

// start begins the scenario with the names of this run.
func (p *placement) start(scope string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = newNormalizer(scope, nil)
}

// decide is a fault.Decision.
func (p *placement) decide(f fault.Fault, c fault.Operation) (applies, decided bool) {
	m := f.Match
	if m.Nth == 0 && m.Every == 0 && m.Times == 0 {
		return false, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now == nil {
		return false, false
	}
	p.read()
	name := p.now.normalize(f.Name)
	key, ok := placeOf(p.now, c.Seam, c.Component, journal.Operation{Name: c.Operation, Subject: c.Subject})
	if !ok || !p.applied[name] {
		return false, false
	}
	recorded, at := p.recorded[key], p.done[key]
	return at < len(recorded) && recorded[at] == name, true
}

// read counts the calls that have ended, and learns the names of objects.
func (p *placement) read() {
	events := p.journal.Since(p.mark)
	p.now.learn(events)
	for _, e := range events {
		p.mark = max(p.mark, e.Seq)
		if key, ok := placeOf(p.now, e.Seam, e.Component, e.Operation); ok {
			p.done[key]++
		}
	}
}
