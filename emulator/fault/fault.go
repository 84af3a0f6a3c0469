package fault

import (
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// Fault is an effect on the operations that match. Its fields, with those of Match and
// Effect, are the one description of a fault: scenario files, flags, texts and the tables
// in the documentation are made from the tags.
//
//   - yaml is the name, doc the description. A flag has the same name with hyphens.
//   - at is where an effect exists: seams, and "events" for what a watch tells.
//   - with is the effects that a detail needs beside it.
//   - enum is the values that a text may have, negative allows a negative number.
//   - expression allows ${...} in a scenario, flag:"-" has no flag.
type Fault struct {
	// Name tells the faults of a Set apart. It is in journal.Event.Fault.
	Name string `json:"name" yaml:"name" required:"true" flag:"-" doc:"name, for heal and reports"`
	// Optional says that a scenario accepts that the fault is applied to no operation.
	Optional bool `json:"optional,omitempty" yaml:"optional" flag:"-" doc:"the scenario passes although the fault was applied to no operation"`
	// Match says which operations.
	Match `json:"match"`
	// Effect says what happens to them.
	Effect `json:"effect"`
}

// Match says which operations a fault is about. In a pattern, * is any
// number of any characters; an empty pattern matches everything.
type Match struct {
	// Seam is where. At SeamProcess only "start" can be matched.
	Seam journal.Seam `json:"seam" yaml:"seam" required:"true" enum:"api,rpc,store,process" doc:"api, rpc, store, or process for starts of components"`
	// Component is a pattern of whose operations. At the rpc seam, where a call
	// crosses twice, an empty pattern means the caller's side.
	Component string `json:"component,omitempty" yaml:"component" expression:"true" doc:"pattern of component names; all by default, at rpc the callers only"`
	// Operation is a pattern of names as the journal has them; see the seams of
	// package journal. What a watch tells is an operation, too: "event buckets" on
	// the name of the object. Events are matched only by a pattern that begins with
	// "event ", or by effects that nothing but events can have.
	Operation string `json:"operation,omitempty" yaml:"operation" expression:"true" doc:"pattern of operations, such as \"patch buckets/status\"; * is any number of any characters; \"event buckets\" is what a watch tells of buckets"`
	// Subject is a pattern of what the operation is about.
	Subject string `json:"subject,omitempty" yaml:"subject" expression:"true" doc:"pattern of what the operation is about; * is any number of any characters"`

	// Nth is the matching operation that has the effect, counted from 1 since the
	// fault was added, or its Since was marked. 0 means all.
	Nth int `json:"nth,omitempty" yaml:"nth" doc:"only the n-th operation that matches, from now on"`
	// Every selects every n-th operation: with 3 the third, the sixth, and so on.
	// 0 means all. With Nth, it counts from there.
	Every int `json:"every,omitempty" yaml:"every" doc:"every n-th operation that matches"`
	// Times is the maximum of operations that have the effect. 0 means any number,
	// except with Nth and without Every, where it means one.
	Times int `json:"times,omitempty" yaml:"times" doc:"how many operations at most; 0 is any number"`
	// For ends the fault so long after it was first applied; 0 means never.
	For time.Duration `json:"for,omitempty" yaml:"for" doc:"how long, from the first time on"`
	// Since and Until are marks (see Set.Mark) between which operations are
	// matched and counted: those that are made while the fault is in the Set.
	// Without Since it counts at once, without Until it goes on.
	Since string `json:"since,omitempty" yaml:"since" flag:"-" doc:"a mark before which nothing matches; now by default"`
	Until string `json:"until,omitempty" yaml:"until" flag:"-" doc:"a mark after which nothing matches"`
}

// Moments of a crash.
const (
	// Before the operation: it does not happen.
	Before = "before"
	// After the operation: it has happened, and the component has not heard of it.
	After = "after"
)

// Effect is what happens to an operation. Exactly one of the effects must be given;
// only Delay may be beside another.
type Effect struct {
	// Fail is the code that comes back instead of the operation, in the terms of
	// the seam: at api an HTTP status or a Kubernetes reason, or Reset, TLS or
	// Refused; at rpc a gRPC code; at store an S3 code or Reset, and NotExist,
	// Conflict, NotEmpty, Invalid, Limit or Closed for the driver's own calls.
	Fail string `json:"fail,omitempty" yaml:"fail" at:"api,rpc,store,process" doc:"code that comes back instead of the operation: 409, Conflict, reset, Unavailable, SlowDown, ..."`
	// LoseReply is the code that comes back although the operation has happened.
	LoseReply string `json:"loseReply,omitempty" yaml:"loseReply" at:"api,rpc,store" doc:"code that comes back although the operation has happened"`
	// RetryAfter is what an HTTP answer asks for, in whole seconds, with Fail or
	// LoseReply at the api seam.
	RetryAfter time.Duration `json:"retryAfter,omitempty" yaml:"retryAfter" with:"fail,loseReply" at:"api" doc:"when the client may retry"`
	// Message is the text of the error with Fail or LoseReply; a usual one for the
	// code by default.
	Message string `json:"message,omitempty" yaml:"message" with:"fail,loseReply" doc:"text of the error"`

	// Delay is how long the operation is held up before it is done. Alone on
	// events of a watch, it delays them and what follows.
	Delay time.Duration `json:"delay,omitempty" yaml:"delay" at:"api,rpc,store,process,events" doc:"how long the operation is held up; may be beside another effect"`
	// Hang has the operation not come back until the caller's deadline; a caller
	// without one is told of a lost connection when the fault is removed.
	Hang bool `json:"hang,omitempty" yaml:"hang" at:"api,rpc,store" doc:"the operation does not return until the caller's deadline, or until the fault is removed"`
	// Duplicate has the operation done twice; the second answer is what comes
	// back. An event of a watch is told twice.
	Duplicate bool `json:"duplicate,omitempty" yaml:"duplicate" at:"api,rpc,store,events" doc:"the operation happens twice; an event is told twice"`
	// Crash kills the component Before or After the operation, with all that it has
	// in flight; the emulator starts it again by itself.
	Crash string `json:"crash,omitempty" yaml:"crash" at:"api,rpc,store,events" enum:"before,after" doc:"before or after: the component is killed at that moment, and started again"`
	// Outage kills a process of the control plane, kube-apiserver or etcd, before
	// the operation, and starts it again.
	Outage string `json:"outage,omitempty" yaml:"outage" at:"api,rpc,store" enum:"kube-apiserver,etcd" doc:"kube-apiserver or etcd is killed before the operation, and started again"`
	// Down is how long it takes, with Crash or Outage, until what was killed is
	// started again. 0 means at once.
	Down time.Duration `json:"down,omitempty" yaml:"down" with:"crash,outage" doc:"how long until what was killed is started again; at once by default"`

	// LoseLease gives the Lease of the controller or sidecar to another holder before
	// the operation, for so long, in whole seconds. Leases exist only with leader
	// election; see emulator.Options.LeaderElection.
	LoseLease time.Duration `json:"loseLease,omitempty" yaml:"loseLease" at:"api,rpc" doc:"another holder takes the component's Lease before the operation, for so many whole seconds"`
	// Clock puts the clock of the component forward by so much, or back if it is
	// negative, from the operation on and until the fault is removed.
	Clock time.Duration `json:"clock,omitempty" yaml:"clock" at:"api,rpc,store,process" negative:"true" doc:"the clock of the component is ahead by so much, or behind (-20m), until the fault is removed; with process from its start"`
	// Forget has the component, with Crash, come back without what it keeps over its
	// lives: a fake driver without what it has provisioned, the store without its
	// buckets, accounts and objects. Others keep nothing, and lose nothing more.
	Forget bool `json:"forget,omitempty" yaml:"forget" with:"crash" doc:"the store comes back empty, a fake driver without what it provisioned"`

	// Stale has reads of objects and lists answered with the past: as they were so
	// many changes ago. What has been deleted is there again, as soon as a watch of
	// any component has told of its deletion.
	Stale int `json:"stale,omitempty" yaml:"stale" at:"api" doc:"reads (get, list) answer as so many changes ago"`
	// Drop has the event of a watch not told.
	Drop bool `json:"drop,omitempty" yaml:"drop" at:"events" doc:"the event is not told"`
	// CloseWatch ends the watch before the event is told, as the API server does
	// now and then.
	CloseWatch bool `json:"closeWatch,omitempty" yaml:"closeWatch" at:"events" doc:"the watch ends before the event is told"`
	// Freeze shows the component an old world until the fault is removed: events
	// are held back, and lists are answered as of the first of them.
	Freeze bool `json:"freeze,omitempty" yaml:"freeze" at:"api,events" doc:"no event is told, and lists answer as of the first of them, until the fault is removed"`

	// Interfere is what a person, or another program, does to the objects of Object
	// at that moment, with an administrator's rights and past all components. The
	// operation goes on when it is done. See Interferences.
	Interfere Interference `json:"interfere,omitempty" yaml:"interfere" at:"api,rpc,store,events" enum:"delete,delete-foreground,delete-orphan,recreate,force-delete,force-recreate,strip-finalizers,strip-owners,flip-policy,edit-status,edit-metadata,strip-metadata,edit-data,make-immutable" doc:"an administrator changes the objects of object before the operation: delete, recreate, strip-finalizers, ..."`
	// Object is KIND/NAME or KIND/NAMESPACE/NAME of what Interfere changes. In name and
	// namespace, * is any number of any characters; all objects that match are changed.
	Object string `json:"object,omitempty" yaml:"object" with:"interfere" expression:"true" doc:"KIND/NAME or KIND/NAMESPACE/NAME of the objects; * is any number of any characters"`
	// After has Interfere happen when the operation has happened, before the component
	// receives the response.
	After bool `json:"after,omitempty" yaml:"after" with:"interfere" doc:"the objects change after the operation, before the component receives the response"`

	// Set replaces fields of a response: values by path, names as in the protocol
	// and dots between them. null empties a field.
	Set map[string]any `json:"set,omitempty" yaml:"set" at:"rpc" doc:"fields of the driver's response: values by path, such as protocols.s3.region; null empties one"`
	// Empty empties the whole response.
	Empty bool `json:"empty,omitempty" yaml:"empty" at:"rpc" doc:"the driver's response is empty"`
	// Swap gives the response of the matching call before.
	Swap bool `json:"swap,omitempty" yaml:"swap" at:"rpc" doc:"the driver's response is that of the matching call before"`
	// Oversize makes the response so many bytes larger.
	Oversize int `json:"oversize,omitempty" yaml:"oversize" at:"rpc" doc:"the driver's response is so many bytes larger"`

	// Cut ends the body of an answer, and the connection, after so many bytes.
	Cut int `json:"cut,omitempty" yaml:"cut" at:"store" doc:"the body of the store's answer ends, with the connection, after so many bytes"`
	// Flip turns the lowest bit of this byte of an answer's body, counted from 1.
	Flip int `json:"flip,omitempty" yaml:"flip" at:"store" doc:"the lowest bit of this byte of the store's answer is wrong, counted from 1"`
	// CutUpload lets so many bytes of a request's body reach the store, and then
	// ends the connection. A body that is no longer passes whole.
	CutUpload int `json:"cutUpload,omitempty" yaml:"cutUpload" at:"store" doc:"of the body of a request so many bytes arrive at the store, then the connection ends"`
	// FlipUpload turns the lowest bit of this byte of a request's body on its way
	// into the store, counted from 1 as on the wire: where a client sends its body
	// in signed chunks, what stands around them counts, too.
	FlipUpload int `json:"flipUpload,omitempty" yaml:"flipUpload" at:"store" doc:"the lowest bit of this byte of a request arrives wrong at the store, counted from 1"`
}

// Codes of a connection that breaks, for Fail and LoseReply at seams of HTTP.
const (
	// Reset is a connection that the other side has reset.
	Reset = "reset"
	// TLS is a TLS connection that ends without close_notify.
	TLS = "tls"
	// Refused is a connection that the server refuses.
	Refused = "refused"
)
