package ui

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
)

const (
	// period is the minimum time between messages to a browser.
	period = 200 * time.Millisecond
	// maxNodes is the maximum number of objects in one message.
	maxNodes = 500
	// silence is the number of periods without a change after which a comment keeps the connection
	// open.
	silence = 50
)

// update is a message to a browser. Unchanged fields are missing.
type update struct {
	Nodes []*node  `json:"nodes,omitempty"`
	Gone  []string `json:"gone,omitempty"`
	// Seq is the number of the latest event of the journal.
	Seq        uint64                   `json:"seq"`
	Faults     *[]fault.Status          `json:"faults,omitempty"`
	Components []emulator.ComponentInfo `json:"components,omitempty"`
	// Actions is the number of steps of a saved scenario.
	Actions int `json:"actions"`
}

// stream sends updates as server-sent events. The first ones are complete.
func (p *Page) stream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	s := &subscriber{page: p}
	control := http.NewResponseController(w)
	for quiet := 0; ; quiet++ {
		messages := s.next()
		if len(messages) == 0 && quiet > 0 && quiet%silence == 0 {
			messages = [][]byte{[]byte(":\n\n")}
		}
		for _, message := range messages {
			if _, err := w.Write(message); err != nil {
				return
			}
		}
		if len(messages) > 0 && control.Flush() != nil {
			return
		}
		if !wait(r.Context(), period) {
			_, _ = w.Write([]byte("event: stopped\ndata: {}\n\n")) // for a browser that is still there: the page has ended
			_ = control.Flush()
			return
		}
	}
}

// subscriber is a browser with its known state.
type subscriber struct {
	page               *Page
	version, seq       uint64
	actions            int
	faults, components string
	begun              bool
}

// next returns the messages with the changes.
func (s *subscriber) next() [][]byte {
	var u update
	var all []*node
	all, u.Gone, s.version = s.page.graph.since(s.version)
	faults, components := s.page.opts.Faults.List(), s.page.opts.Emulator.Info().Components
	changed := len(all) > 0 || len(u.Gone) > 0 || !s.begun
	if text := fmt.Sprint(faults); text != s.faults || !s.begun {
		u.Faults, s.faults, changed = &faults, text, true
	}
	if text := fmt.Sprint(components); text != s.components {
		u.Components, s.components, changed = components, text, true
	}
	u.Seq, u.Actions = s.page.opts.Emulator.Journal().Mark(), s.page.history.len()
	if !changed && u.Seq == s.seq && u.Actions == s.actions {
		return nil
	}
	s.begun, s.seq, s.actions = true, u.Seq, u.Actions
	var messages [][]byte
	for {
		n := min(len(all), maxNodes)
		u.Nodes, all = all[:n], all[n:]
		if data, err := json.Marshal(u); err == nil {
			messages = append(messages, fmt.Appendf(nil, "data: %s\n\n", data))
		}
		if len(all) == 0 {
			return messages
		}
		u = update{Seq: s.seq, Actions: s.actions}
	}
}
