package recording

import (
	"encoding/json"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// Format and Version are what a Header begins with. Fields may be added to a
// version; when a field changes its meaning, the version does.
const (
	Format  = "cosi-emu-recording"
	Version = 1
)

// Extension is how the names of recordings end.
const Extension = ".cosirec"

// Header says what was run, and by what.
type Header struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	// Program is the version of cosi-emu, Platform its GOOS/GOARCH, Kubernetes the
	// version of the API server, as far as it is known.
	Program    string `json:"program"`
	Platform   string `json:"platform"`
	Kubernetes string `json:"kubernetes,omitempty"`
	// Started is when the recording began.
	Started time.Time `json:"started"`
	// Scenario is the name of the scenario; empty for an emulator that people used.
	Scenario string `json:"scenario,omitempty"`
	// Namespace is where the scenario's objects were; it is also the word in the
	// names of all else that was the scenario's own.
	Namespace string `json:"namespace,omitempty"`
	// Files are the file of the scenario, which is the first, and those it uses.
	Files []File `json:"files,omitempty"`
	// Driver is the name of the emulator's own driver.
	Driver string `json:"driver,omitempty"`
	// External says that the driver was external, not the emulator's.
	External bool `json:"external,omitempty"`
}

// File is a file as it was.
type File struct {
	Name    string `json:"name"`
	Content string `json:"content"`
}

// Injection is a fault that was added to an emulator, or removed.
type Injection struct {
	Time    time.Time   `json:"time"`
	Fault   fault.Fault `json:"fault"`
	Removed bool        `json:"removed,omitempty"`
}

// End is how a run ended. A recording without it was cut off.
type End struct {
	Time    time.Time `json:"time"`
	Outcome string    `json:"outcome"`
	// Failures are why it did not pass, a line each.
	Failures []string `json:"failures,omitempty"`
}

// Entry is a line of a recording. Exactly one of its fields is set.
type Entry struct {
	Header *Header        `json:"header,omitempty"`
	Event  *journal.Event `json:"event,omitempty"`
	Fault  *Injection     `json:"fault,omitempty"`
	// State is what the oracles judge besides the events, in the form that package
	// oracle has for it.
	State json.RawMessage `json:"state,omitempty"`
	End   *End            `json:"end,omitempty"`
}

// kind names the field that is set; empty if it is not exactly one.
func (e *Entry) kind() string {
	name, count := "", 0
	for field, set := range map[string]bool{
		"header": e.Header != nil, "event": e.Event != nil, "fault": e.Fault != nil, "state": e.State != nil, "end": e.End != nil,
	} {
		if set {
			name, count = field, count+1
		}
	}
	if count != 1 {
		return ""
	}
	return name
}

// Recording is what a file holds.
type Recording struct {
	Header
	Events []journal.Event
	Faults []Injection
	// State is the last one that was recorded; nil without one.
	State json.RawMessage
	// End is nil if the recording was cut off.
	End *End
}
