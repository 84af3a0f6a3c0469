package eventpattern

import (
	"encoding/json"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// requestOf returns the request of an operation. An Event of the core group has the fields of events.k8s.io in
// addition, so that one pattern matches the Events of all components.
func requestOf(e journal.Event) json.RawMessage {
	if !strings.HasSuffix(e.Operation.Name, " events") || !strings.Contains(string(e.Request), `"involvedObject"`) {
		return e.Request
	}
	var event map[string]any
	if err := json.Unmarshal(e.Request, &event); err != nil {
		return e.Request
	}
	for core, name := range map[string]string{"involvedObject": "regarding", "message": "note"} {
		if value, has := event[core]; has && event[name] == nil {
			event[name] = value
		}
	}
	both, err := json.Marshal(event)
	if err != nil {
		return e.Request
	}
	return both
}
