package checks

import (
	"context"
	"slices"
	"sync"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/conformance/dataplane"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// maxLines is the maximum number of lines of the driver's output that a check keeps, the latest.
const maxLines = 200

// observeData returns a context that records requests to a data plane in the journal.
func observeData(ctx context.Context, history *journal.Journal) context.Context {
	return dataplane.WithObserver(ctx, func(operation, path string) func(outcome, message string) {
		e := history.Begin(vocabulary.Store, 0, journal.SeamStore, journal.Operation{Name: operation, Subject: path})
		return func(outcome, message string) {
			e.Outcome, e.Message = outcome, message
			history.Append(e)
		}
	})
}

// eventsOf returns the events of a journal since a mark: the calls of a check, its requests to the
// data plane, and the life and the output of the driver's process.
func eventsOf(history *journal.Journal, mark uint64) []journal.Event {
	all := history.Since(mark)
	lines := 0
	for _, e := range all {
		if e.Seam == journal.SeamLog {
			lines++
		}
	}
	var kept []journal.Event
	for _, e := range all {
		if e.Seam == journal.SeamLog {
			lines--
			if lines >= maxLines {
				continue
			}
		}
		kept = append(kept, e)
	}
	return kept
}

// maxLeaks limits the number of kept lines with a secret.
const maxLeaks = 100

// WatchOutput keeps the lines of the driver's output that have a secret, even if the journal drops
// them.
func (h *History) WatchOutput() {
	h.Journal.Tee(0, func(e journal.Event) {
		h.leaked.Lock()
		defer h.leaked.Unlock()
		if isLeak(e) && len(h.leaked.lines) < maxLeaks {
			h.leaked.lines = append(h.leaked.lines, e)
		}
	})
}

func isLeak(e journal.Event) bool { return e.Seam == journal.SeamLog && len(e.Leaks) > 0 }

// leakedLines are lines of the output that had a secret, without it.
type leakedLines struct {
	sync.Mutex

	lines []journal.Event
}

// leaks returns the lines of the driver's output that have a secret. A line may have been printed
// before the secret was known.
func (h *History) leaks() []journal.Event {
	h.leaked.Lock()
	lines := slices.Clone(h.leaked.lines)
	h.leaked.Unlock()
	for _, e := range h.Journal.Since(0) {
		if isLeak(e) {
			lines = append(lines, e)
		}
	}
	return lines
}
