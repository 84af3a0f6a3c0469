// Package journal holds the one history of an emulator: every operation of a seam, as an Event.
// Logs, reports, checks and recordings read it; no other package keeps a history.
package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/secretvalues"
)

// DefaultMaxBytes is the default limit for the memory of a journal.
const DefaultMaxBytes = 16 << 20

// Options configure a Journal. The zero value is usable.
type Options struct {
	// MaxBytes limits, roughly, the memory for events. The oldest events are dropped first. Zero
	// means DefaultMaxBytes.
	MaxBytes int
	// Sink receives every event as a line of JSON, at once and unbuffered, so that a crash loses at
	// most the event that is being written.
	Sink io.Writer
	Now  func() time.Time
}

// Journal is an append-only list of events. It is safe for concurrent use.
type Journal struct {
	opts Options

	secrets secretvalues.Values

	mu      sync.Mutex
	events  []kept
	bytes   int
	seq     uint64
	counts  map[operationKey]int
	pending map[operationCount]Event // operations that have not ended
	watches map[operationCount]Event // watches whose responses have not ended
	changed chan struct{}            // closed and replaced at each append
	sinkErr error
	tees    map[*func(Event)]bool

	requests     []Event // of users; see AddUserRequest
	requestBytes int
}

// kept is an event with the number of secret values that were known when it was redacted.
type kept struct {
	Event

	redacted int
}

type operationKey struct {
	component string
	seam      Seam
	name      string
}

type operationCount struct {
	operationKey
	nth int
}

// New returns an empty journal.
func New(opts Options) *Journal {
	if opts.MaxBytes == 0 {
		opts.MaxBytes = DefaultMaxBytes
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Journal{
		opts: opts, counts: map[operationKey]int{}, pending: map[operationCount]Event{}, watches: map[operationCount]Event{},
		changed: make(chan struct{}),
	}
}

// Continue has the journal go on in another emulator, whose predecessor has stopped: later events go to another sink, and
// no operation is pending.
func (j *Journal) Continue(sink io.Writer) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.opts.Sink, j.sinkErr = sink, nil
	clear(j.pending)
	clear(j.watches)
}

// Begin returns the event of an operation that starts now, with its number. The journal contains it
// after Append.
func (j *Journal) Begin(component string, incarnation int, seam Seam, op Operation) Event {
	j.mu.Lock()
	defer j.mu.Unlock()
	k := operationKey{component, seam, op.Name}
	j.counts[k]++
	e := Event{
		Time:        j.opts.Now(),
		Component:   component,
		Incarnation: incarnation,
		Seam:        seam,
		Operation:   op,
		Nth:         j.counts[k],
	}
	if seam != SeamLog {
		j.pending[operationCount{k, e.Nth}] = e
	}
	return e
}

// Pending returns the operations that have started but not ended, in no order. They have neither a
// sequence number nor an outcome.
func (j *Journal) Pending() []Event {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Collect(maps.Values(j.pending))
}

// OpenWatch notes that the API server has begun to answer a watch. The caller calls end when the response has ended.
func (j *Journal) OpenWatch(e Event) (end func()) {
	key := operationCount{operationKey{e.Component, e.Seam, e.Operation.Name}, e.Nth}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.watches[key] = e
	return func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		delete(j.watches, key)
	}
}

// Watches returns the watches whose responses have begun but not ended, in no order.
func (j *Journal) Watches() []Event {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Collect(maps.Values(j.watches))
}

// ResetCounts ends the counting for a component that was removed. Its events stay, but a new
// component of its name counts from 1.
func (j *Journal) ResetCounts(component string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	maps.DeleteFunc(j.counts, func(k operationKey, _ int) bool { return k.component == component })
}

// Append adds an event from Begin, and sets its sequence number and, if Duration is zero, its
// duration.
func (j *Journal) Append(e Event) Event {
	crossing := operationCount{operationKey{e.Component, e.Seam, e.Operation.Name}, e.Nth}
	redacted := j.secrets.Count()
	e = j.redact(e, 0)
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.pending, crossing)
	j.seq++
	e.Seq = j.seq
	if e.Duration == 0 && e.Seam != SeamLog && e.Seam != SeamProcess {
		e.Duration = j.opts.Now().Sub(e.Time)
	}
	j.write(e)
	for tee := range j.tees {
		(*tee)(e)
	}
	j.events = append(j.events, kept{e, redacted})
	j.bytes += size(e)
	j.trim()
	close(j.changed)
	j.changed = make(chan struct{})
	return e
}

// write passes an event to the sink. The journal outlives a sink that fails, for instance because
// the disk is full; Err returns the error.
func (j *Journal) write(e Event) {
	if j.opts.Sink == nil || j.sinkErr != nil {
		return
	}
	line, err := json.Marshal(e)
	if err == nil {
		_, err = j.opts.Sink.Write(append(line, '\n'))
	}
	if err != nil {
		j.sinkErr = fmt.Errorf("journal: writing event %d: %w", e.Seq, err)
	}
}

// trim drops the oldest events above the limit. The next append that moves the slice frees their
// memory, so trim is cheap.
func (j *Journal) trim() {
	drop := 0
	for j.bytes > j.opts.MaxBytes && drop < len(j.events)-1 {
		j.bytes -= size(j.events[drop].Event)
		j.events[drop] = kept{}
		drop++
	}
	j.events = j.events[drop:]
}

func size(e Event) int {
	const fixed = 256
	return fixed + len(e.Request) + len(e.Response) + len(e.Message) + len(e.Operation.Name) + len(e.Operation.Subject)
}

// Since returns the events after a sequence number that the journal still has; 0 means all of them.
func (j *Journal) Since(seq uint64) []Event {
	events, _ := j.since(seq)
	return events
}

func (j *Journal) since(seq uint64) ([]Event, <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	// Sequence numbers are consecutive, so the place can be computed.
	first := j.seq - uint64(len(j.events)) + 1
	skip := 0
	if seq >= first {
		skip = int(min(seq, j.seq) - first + 1) //nolint:gosec // at most the length of the slice
	}
	var events []Event
	if n := len(j.events) - skip; n > 0 {
		events = make([]Event, 0, n)
	}
	for i := skip; i < len(j.events); i++ {
		events = append(events, j.latest(i))
	}
	return events, j.changed
}

// Follow yields the events after seq, and new ones, until ctx is done.
func (j *Journal) Follow(ctx context.Context, seq uint64) iter.Seq[Event] {
	return func(yield func(Event) bool) {
		for {
			events, changed := j.since(seq)
			for _, e := range events {
				seq = e.Seq
				if !yield(e) {
					return
				}
			}
			if len(events) > 0 {
				continue
			}
			select {
			case <-ctx.Done():
				return
			case <-changed:
			}
		}
	}
}

// Tee calls a function with every event after the given number that the journal still has, and with
// each new one, in their order, until stop is called. Append returns after the call, so no event is
// lost when the program is killed. The function must be quick, and must not use the journal.
func (j *Journal) Tee(seq uint64, f func(Event)) (stop func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i := range j.events {
		if j.events[i].Seq > seq {
			f(j.latest(i))
		}
	}
	if j.tees == nil {
		j.tees = map[*func(Event)]bool{}
	}
	j.tees[&f] = true
	return func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		delete(j.tees, &f)
	}
}

// Mark returns the sequence number of the latest event, for a later Since.
func (j *Journal) Mark() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.seq
}

// Err returns the first error of the sink.
func (j *Journal) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.sinkErr
}
