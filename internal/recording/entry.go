package recording

import (
	"encoding/json"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// Format and Version identify a Header. Fields may be added to a version; a changed meaning of a
// field requires a new one.
const (
	Format  = "cosi-emu-recording"
	Version = 2
)

// Extension is the extension of recordings.
const Extension = ".cosirec"

// Header identifies the scenario and the versions.
type Header struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	// Program is the version of cosi-emu, Platform its GOOS/GOARCH, Kubernetes the version of the
	// API server, if known.
	Program    string    `json:"program"`
	Platform   string    `json:"platform"`
	Kubernetes string    `json:"kubernetes,omitempty"`
	Started    time.Time `json:"started"`
	// Scenario is the name of the scenario; empty for an emulator that users used.
	Scenario string `json:"scenario,omitempty"`
	// Namespace is the namespace of the scenario's objects, and the word in the names of its other
	// objects.
	Namespace string `json:"namespace,omitempty"`
	// Files are the file of the scenario, which is the first, and those it uses.
	Files []File `json:"files,omitempty"`
	// Driver is the name of the emulator's own driver.
	Driver string `json:"driver,omitempty"`
	// External means that the driver was not the emulator's.
	External bool `json:"external,omitempty"`
}

// File is a file with its contents.
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

// End is the outcome of a run. A recording without it was interrupted.
type End struct {
	Time    time.Time `json:"time"`
	Outcome string    `json:"outcome"`
	// Failures are the reasons for the failure, a line each.
	Failures []string `json:"failures,omitempty"`
}

// Entry is a line of a recording. Exactly one of its fields is set.
type Entry struct {
	Header *Header        `json:"header,omitempty"`
	Event  *journal.Event `json:"event,omitempty"`
	Fault  *Injection     `json:"fault,omitempty"`
	// State is the oracles' input besides the events, in the form of package oracle.
	State json.RawMessage `json:"state,omitempty"`
	End   *End            `json:"end,omitempty"`
}

// kind names the field that is set; empty unless it is exactly one.
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

// Recording is the contents of a file.
type Recording struct {
	Header
	Events []journal.Event
	Faults []Injection
	// State is the last recorded one; nil without one.
	State json.RawMessage
	// End is nil if the recording was interrupted.
	End *End
}
