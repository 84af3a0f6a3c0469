package fault

import (
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// Fault is an effect on the operations that match.
type Fault struct {
	// Name tells the faults of a Set apart, and stands in journal.Event.Fault.
	Name string `json:"name"`
	// Match says which operations.
	Match Match `json:"match"`
	// Effect says what happens to them.
	Effect Effect `json:"effect"`
}

// Match says which operations a fault is about. In the patterns, * stands for any
// characters, and an empty pattern matches everything.
type Match struct {
	// Seam is where. At SeamProcess only "start" can be matched.
	Seam journal.Seam `json:"seam"`
	// Component is a pattern of whose operations. At the rpc seam, where a call
	// crosses twice, an empty pattern means the caller's side.
	Component string `json:"component,omitempty"`
	// Operation is a pattern of names as the journal has them; see the seams of
	// package journal. What a watch tells is an operation, too: "event buckets" on
	// the name of the object. Events are matched only by a pattern that begins with
	// "event ", or by effects that nothing but events can have.
	Operation string `json:"operation,omitempty"`
	// Subject is a pattern of what the operation is about.
	Subject string `json:"subject,omitempty"`

	// Nth is which of the matching operations suffers the effect, counted from 1
	// from the moment when the fault is added, or its Since is marked. 0 means
	// all.
	Nth int `json:"nth,omitempty"`
	// Every has every so many-th suffer it: with 3 the third, the sixth, and so
	// on. 0 means all. With Nth, it goes on from there.
	Every int `json:"every,omitempty"`
	// Times is how many operations suffer it at most; 0 means any number, but one
	// with Nth and without Every.
	Times int `json:"times,omitempty"`
	// For ends the fault so long after it was first applied; 0 means never.
	For time.Duration `json:"for,omitempty"`
	// Since and Until are marks (see Set.Mark) between which operations are
	// matched and counted: those that are made while the fault is in the Set.
	// Without Since it counts at once, without Until it goes on.
	Since string `json:"since,omitempty"`
	Until string `json:"until,omitempty"`
}

// Moments of a crash.
const (
	// Before the operation: it does not happen.
	Before = "before"
	// After the operation: it has happened, and the component has not heard of it.
	After = "after"
)

// Effect is what an operation suffers. Exactly one of the effects must be given;
// only Delay may stand beside another.
type Effect struct {
	// Fail is the code that comes back instead of the operation, in the terms of
	// the seam: at api an HTTP status or a Kubernetes reason, or Reset, TLS or
	// Refused; at rpc a gRPC code; at store an S3 code or Reset, and NotExist,
	// Conflict, NotEmpty, Invalid, Limit or Closed for the driver's own calls.
	Fail string `json:"fail,omitempty"`
	// LoseReply is the code that comes back although the operation has happened.
	LoseReply string `json:"loseReply,omitempty"`
	// RetryAfter is what an HTTP answer asks for, in whole seconds, with Fail or
	// LoseReply at the api seam.
	RetryAfter time.Duration `json:"retryAfter,omitempty"`
	// Message is the text of the error with Fail or LoseReply; a usual one for the
	// code by default.
	Message string `json:"message,omitempty"`

	// Delay is how long the operation is held up before it is done. Alone on
	// events of a watch, it delays them and what follows.
	Delay time.Duration `json:"delay,omitempty"`
	// Hang has the operation not come back until the caller's deadline; a caller
	// without one is told of a lost connection when the fault is removed.
	Hang bool `json:"hang,omitempty"`
	// Duplicate has the operation done twice; the second answer is what comes
	// back. An event of a watch is told twice.
	Duplicate bool `json:"duplicate,omitempty"`
	// Crash kills the component Before or After the operation, with all that it has
	// in flight; the emulator starts it again by itself.
	Crash string `json:"crash,omitempty"`
	// Outage kills a process of the control plane, kube-apiserver or etcd, before
	// the operation, and starts it again.
	Outage string `json:"outage,omitempty"`
	// Down is how long it takes, with Crash or Outage, until what was killed is
	// started again. 0 means at once.
	Down time.Duration `json:"down,omitempty"`

	// LoseLease has somebody else take the Lease of the controller or sidecar before
	// the operation, and hold it for so long, in whole seconds. Only an emulator
	// whose components elect has Leases; see emulator.Options.LeaderElection.
	LoseLease time.Duration `json:"loseLease,omitempty"`
	// Clock puts the clock of the component forward by so much, or back if it is
	// negative, from the operation on and until the fault is removed.
	Clock time.Duration `json:"clock,omitempty"`
	// Forget has the component, with Crash, come back without what it keeps over its
	// lives: a fake driver without what it has provisioned, the store without its
	// buckets, accounts and objects. Others keep nothing, and lose nothing more.
	Forget bool `json:"forget,omitempty"`

	// Stale has reads of objects and lists answered with the past: as they were so
	// many changes ago. What has been deleted is there again, as soon as a watch of
	// any component has told of its deletion.
	Stale int `json:"stale,omitempty"`
	// Drop has the event of a watch not told.
	Drop bool `json:"drop,omitempty"`
	// CloseWatch ends the watch before the event is told, as the API server does
	// now and then.
	CloseWatch bool `json:"closeWatch,omitempty"`
	// Freeze shows the component an old world until the fault is removed: events
	// are held back, and lists are answered as of the first of them.
	Freeze bool `json:"freeze,omitempty"`

	// Set replaces fields of a response: values by path, names as in the protocol
	// and dots between them. null empties a field.
	Set map[string]any `json:"set,omitempty"`
	// Empty empties the whole response.
	Empty bool `json:"empty,omitempty"`
	// Swap gives the response of the matching call before.
	Swap bool `json:"swap,omitempty"`
	// Oversize makes the response so many bytes larger.
	Oversize int `json:"oversize,omitempty"`

	// Cut ends the body of an answer, and the connection, after so many bytes.
	Cut int `json:"cut,omitempty"`
	// Flip turns the lowest bit of this byte of an answer's body, counted from 1.
	Flip int `json:"flip,omitempty"`
	// CutUpload lets so many bytes of a request's body reach the store, and then
	// ends the connection. A body that is no longer passes whole.
	CutUpload int `json:"cutUpload,omitempty"`
	// FlipUpload turns the lowest bit of this byte of a request's body on its way
	// into the store, counted from 1 as on the wire: where a client sends its body
	// in signed chunks, what stands around them counts, too.
	FlipUpload int `json:"flipUpload,omitempty"`
}

// Codes of a connection that breaks, for Fail and LoseReply at seams of HTTP.
const (
	// Reset is a connection that the other side has reset.
	Reset = "reset"
	// TLS is a TLS connection that has ended without a farewell.
	TLS = "tls"
	// Refused is a server that nobody listens for.
	Refused = "refused"
)
