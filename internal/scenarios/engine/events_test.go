package engine

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// What a watch tells a component is not taken for what the component does.
func TestEventPatternAndWatches(t *testing.T) {
	told := journal.Event{
		Seam: journal.SeamAPI, Component: "sidecar.east", Operation: journal.Operation{Name: "event secrets", Subject: "ns/west"},
	}
	read := told
	read.Operation.Name = "get secrets"
	for name, c := range map[string]struct {
		pattern eventPattern
		event   journal.Event
		want    bool
	}{
		"a request, of any operation":   {eventPattern{subject: "ns/west"}, read, true},
		"a request, of a resource":      {eventPattern{operation: "* secrets"}, read, true},
		"an event, of any operation":    {eventPattern{subject: "ns/west"}, told, false},
		"an event, of a resource":       {eventPattern{operation: "* secrets"}, told, false},
		"an event that is asked for":    {eventPattern{operation: "event secrets"}, told, true},
		"any event that is asked for":   {eventPattern{operation: "event *"}, told, true},
		"an event of something else":    {eventPattern{operation: "event buckets"}, told, false},
		"a request instead of an event": {eventPattern{operation: "event secrets"}, read, false},
	} {
		t.Run(name, func(t *testing.T) {
			c.pattern.seam = journal.SeamAPI
			if got, err := c.pattern.matches(c.event); err != nil || got != c.want {
				t.Errorf("%v, %v, want %v", got, err, c.want)
			}
		})
	}
}
