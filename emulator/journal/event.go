package journal

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Seam is a place where the emulator observes, and can hold up, the operations between two parts of
// the system.
type Seam string

// The seams, and how an operation is named at each of them.
const (
	// SeamAPI is between a component and the API server. Operations are "<verb>
	// <resource>[/<subresource>]" on "[<namespace>/]<name>". An event of a watch is "event
	// <resource>"; see EventPrefix.
	SeamAPI Seam = "api"
	// SeamRPC is between the sidecar and the driver. Operations are gRPC methods
	// on a bucket or an account.
	SeamRPC Seam = "rpc"
	// SeamStore is in front of the S3 store. Operations have the names of S3, or of the driver's
	// administrative calls, on "<bucket>[/<key>]" or an account.
	SeamStore Seam = "store"
	// SeamProcess is the life of the components themselves. Operations are listed in Steps.
	SeamProcess Seam = "process"
	// SeamLog has the components' log lines. The operation is the level of the line.
	SeamLog Seam = "log"
)

// OutcomeOK is the outcome of an operation that succeeded. Any other outcome is the error code in
// the terms of the seam, such as "Conflict", "Unavailable" or "NoSuchKey".
const OutcomeOK = "OK"

// Operation identifies an operation that crosses a seam.
type Operation struct {
	// Name is, for instance, "update buckets/status", "DriverCreateBucket" or "PutObject".
	Name string `json:"name"`
	// Subject is the object of the operation; empty unless it has exactly one.
	Subject string `json:"subject,omitempty"`
}

// String renders the operation for people.
func (o Operation) String() string {
	if o.Subject == "" {
		return o.Name
	}
	return o.Name + " " + o.Subject
}

// Event is one operation of a seam, or one step in the life of a component. A journal removes the
// secret values that it knows from its events.
type Event struct {
	// Seq counts the events of a journal from 1, in the order in which the
	// operations ended.
	Seq uint64 `json:"seq"`
	// Time is the beginning of the operation.
	Time time.Time `json:"time"`
	// Component is the name of the component that made the operation.
	Component string `json:"component"`
	// Incarnation is the number of the component's incarnation, counted from 1.
	Incarnation int       `json:"incarnation,omitempty"`
	Seam        Seam      `json:"seam"`
	Operation   Operation `json:"operation"`
	// Nth counts the operations of this name that the component has started at this seam, over all
	// its incarnations, from 1.
	Nth int `json:"nth,omitempty"`
	// Request was sent, as JSON, without secrets.
	Request json.RawMessage `json:"request,omitempty"`
	// Response came back, as JSON, without secrets.
	Response json.RawMessage `json:"response,omitempty"`
	Outcome  string          `json:"outcome,omitempty"`
	// Message is the text of an error, or of a log line.
	Message  string        `json:"message,omitempty"`
	Duration time.Duration `json:"duration,omitempty"`
	Fault    string        `json:"fault,omitempty"`
	// Leaks are the owners of secret values that were removed from the event: "account ID" or
	// "Secret NAMESPACE/NAME".
	Leaks []string `json:"leaks,omitempty"`
}

// Failed reports whether the event is an operation that did not succeed.
func (e Event) Failed() bool { return e.Outcome != "" && e.Outcome != OutcomeOK }

// Write reports whether the event is a request that may change an object of the API server.
func (e Event) Write() bool {
	if e.Seam != SeamAPI {
		return false
	}
	verb, _, _ := strings.Cut(e.Operation.Name, " ")
	return slices.Contains(writeVerbs, verb)
}

// Changes reports whether the event can change something, and does not occur in an idle system: a write to the API
// server, or a call to a driver. Writes of Leases and DriverGetInfo do not count.
func (e Event) Changes() bool {
	if e.Seam == SeamRPC {
		return e.Operation.Name != "DriverGetInfo"
	}
	return e.Write() && !strings.HasSuffix(e.Operation.Name, " leases")
}

// String renders the event as one line, as `cosi-emu logs` shows it.
func (e Event) String() string {
	var line strings.Builder
	fmt.Fprintf(&line, "%s %-8s %-7s ", e.Time.Format("15:04:05.000"), e.Component, e.Seam)
	if e.Seam == SeamLog {
		fmt.Fprintf(&line, "%-5s %s", e.Operation.Name, e.Message)
		return line.String()
	}
	line.WriteString(e.Operation.String())
	if e.Seam == SeamProcess {
		fmt.Fprintf(&line, " (incarnation %d)", e.Incarnation)
	} else {
		fmt.Fprintf(&line, " -> %s %s", e.Outcome, e.Duration.Round(10*time.Microsecond))
	}
	if e.Message != "" {
		line.WriteString(": " + e.Message)
	}
	if e.Fault != "" {
		line.WriteString(" [fault: " + e.Fault + "]")
	}
	return line.String()
}
