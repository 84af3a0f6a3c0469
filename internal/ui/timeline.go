package ui

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/report/timeline"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

const (
	// maxMarks is the number of events in a window of the timeline, which determines the number of
	// elements of the page.
	maxMarks = 200
	// firstLook is the number of events that are read from the end of the journal at first. As long
	// as too few of them match, lookGrowth times as many are read.
	firstLook  = 1024
	lookGrowth = 8
	// maxSteps is the maximum number of users' actions in a window.
	maxSteps = 40
)

// window is a part of the timeline.
type window struct {
	// HTML is the picture, by package timeline.
	HTML string `json:"html"`
	// First and Last are the numbers of its events, 0 if it has none. Older means that events
	// precede it, Newer that some follow.
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
	Older bool   `json:"older"`
	Newer bool   `json:"newer"`
}

// asked selects the contents of a window: events up to one, 0 for the latest, of some kinds, and of
// one object if there are subjects, or of some components if there are components.
type asked struct {
	until      uint64
	after      uint64
	kinds      []string
	subjects   []string
	components []string
}

func (a asked) shows(e journal.Event) bool {
	switch {
	case a.until > 0 && e.Seq > a.until, !slices.Contains(a.kinds, timeline.KindOf(e)):
		return false
	case len(a.components) > 0:
		return slices.Contains(a.components, e.Component)
	case len(a.subjects) == 0:
		return true
	}
	return e.Seam != journal.SeamProcess && concerns(a.subjects, e.Operation.Subject, e.Message)
}

// find returns the latest selected events, and whether earlier ones exist; with after, the earliest
// ones after it.
func find(j *journal.Journal, a asked) (found []journal.Event, older bool) {
	if a.after > 0 {
		for _, e := range j.Since(a.after) {
			if a.shows(e) && len(found) < maxMarks {
				found = append(found, e)
			}
		}
		return found, true
	}
	end := j.Mark()
	if a.until > 0 {
		end = min(end, a.until)
	}
	for look := uint64(firstLook); ; look *= lookGrowth {
		from := end - min(look, end)
		found = slices.DeleteFunc(j.Since(from), func(e journal.Event) bool { return !a.shows(e) })
		if len(found) > maxMarks {
			return found[len(found)-maxMarks:], true
		}
		if from == 0 {
			return found, false
		}
	}
}

func (p *Page) timeline(r *http.Request) (any, error) {
	a := asked{
		until: number(r.FormValue("until")), after: number(r.FormValue("after")), kinds: strings.Split(r.FormValue("kinds"), ","),
	}
	about := r.FormValue("about")
	switch kind, _, _ := strings.Cut(about, "/"); {
	case kind == kindDriver:
		a.components = driverComponents
	case about != "":
		if a.subjects = p.graph.subjects(about); a.subjects == nil {
			_, name, _ := strings.Cut(about, "/")
			a.subjects = []string{name}
		}
	}
	j := p.opts.Emulator.Journal()
	events, older := find(j, a)
	slices.SortStableFunc(events, func(x, y journal.Event) int { return x.Time.Compare(y.Time) })
	win := window{Older: older, Newer: a.until > 0 || a.after > 0}
	live := timeline.Live{Since: time.Now().Add(-time.Second), Until: time.Now(), Events: events}
	if len(events) > 0 {
		latest := events[0]
		win.First, live.Since = events[0].Seq, events[0].Time
		for _, e := range events {
			win.First, win.Last = min(win.First, e.Seq), max(win.Last, e.Seq)
			if e.Time.Add(e.Duration).After(latest.Time.Add(latest.Duration)) {
				latest = e
			}
		}
		if win.Newer {
			live.Until = latest.Time.Add(latest.Duration)
		}
	}
	if about == "" {
		live.Lanes = p.lanes()
		live.Events = append(p.graph.stillDown(win.First), live.Events...)
		live.Steps = p.history.steps(live.Since, live.Until)
	}
	var html strings.Builder
	if err := live.Write(&html); err != nil {
		return nil, err
	}
	win.HTML = html.String()
	return win, nil
}

// stillDown returns the last events of components that have not run since before an event.
func (g *graph) stillDown(first uint64) []journal.Event {
	g.mu.Lock()
	defer g.mu.Unlock()
	var found []journal.Event
	for _, e := range g.down {
		if e.Seq < first {
			found = append(found, e)
		}
	}
	slices.SortFunc(found, func(a, b journal.Event) int { return cmp.Compare(a.Seq, b.Seq) })
	return found
}

// lanes are the lanes of all components, and of kube-apiserver with its outages.
func (p *Page) lanes() []string {
	var names []string
	for _, c := range p.opts.Emulator.Info().Components {
		if c.Name != "etcd" && c.Name != "kube-controller-manager" {
			names = append(names, c.Name)
		}
	}
	return names
}

func number(text string) uint64 {
	n, _ := strconv.ParseUint(text, 10, 64) // any other text is 0
	return n
}

// eventDetail is an event, and the match of a fault for the next one of its kind.
type eventDetail struct {
	HTML  string        `json:"html"`
	Event journal.Event `json:"event"`
}

var errNoEvent = errors.New("the event is not in memory any more; the file journal.jsonl in the emulator's directory has it")

func (p *Page) event(r *http.Request) (any, error) {
	seq := number(r.FormValue("seq"))
	if seq == 0 {
		return nil, errNoEvent
	}
	after := p.opts.Emulator.Journal().Since(seq - 1)
	if len(after) == 0 || after[0].Seq != seq {
		return nil, errNoEvent
	}
	var html strings.Builder
	if err := timeline.WriteEvent(&html, after[0]); err != nil {
		return nil, err
	}
	e := after[0]
	e.Request, e.Response = nil, nil // they are in the HTML
	return eventDetail{html.String(), e}, nil
}

// steps returns the users' actions in a time, the latest last.
func (h *history) steps(since, until time.Time) []report.Step {
	h.mu.Lock()
	defer h.mu.Unlock()
	var steps []report.Step
	for _, a := range h.actions {
		if a.verb == verbExpect || a.at.Before(since) || a.at.After(until) {
			continue
		}
		steps = append(steps, report.Step{Name: a.label(), Verb: a.verb, Started: a.at, Outcome: outcome.Passed})
	}
	return steps[max(0, len(steps)-maxSteps):]
}
