package fault

import (
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// Fault applies an effect to the operations that match. The tags of the fields of Fault,
// Match and Effect are the only description of a fault. Scenario files, flags, texts and
// the tables in the documentation are generated from them.
//
//   - yaml is the name, doc the description. A flag has the same name with hyphens.
//   - at lists where an effect exists: seams, and "events" for watch events.
//   - with lists the effects of which one is required beside a detail.
//   - enum lists the valid values; negative allows a negative number.
//   - expression allows ${...} in a scenario; flag:"-" means no flag.
type Fault struct {
	// Name is unique in a Set. journal.Event.Fault has it.
	Name string `json:"name" yaml:"name" required:"true" flag:"-" doc:"name of the fault, for heal and reports"`
	// Optional means that a scenario accepts a fault that was applied to no operation.
	Optional bool `json:"optional,omitempty" yaml:"optional" flag:"-" doc:"the scenario passes although the fault was applied to no operation"`
	// Match selects operations.
	Match  `json:"match"`
	Effect `json:"effect"`
}

// Match selects operations. In a pattern, * matches any characters; an empty pattern
// matches everything.
type Match struct {
	// Seam is the seam of the operation. At SeamProcess only "start" can match.
	Seam journal.Seam `json:"seam" yaml:"seam" required:"true" enum:"api,rpc,store,process" doc:"api, rpc, store, or process (starts of components)"`
	// Component is a pattern of component names. At the rpc seam, where a call
	// crosses twice, an empty pattern matches the caller only.
	Component string `json:"component,omitempty" yaml:"component" expression:"true" doc:"pattern of component names; default all, at rpc the callers"`
	// Operation is a pattern of operation names as in the journal; see the seams of package
	// journal. A watch event is an operation too, such as "event buckets", whose subject is the
	// object. Watch events match only patterns that start with "event ", and effects that exist for
	// watch events only.
	Operation string `json:"operation,omitempty" yaml:"operation" expression:"true" doc:"pattern of operations, such as \"patch buckets/status\", or \"event buckets\" for watch events; * matches any characters"`
	// Subject is a pattern of the object, bucket or account.
	Subject string `json:"subject,omitempty" yaml:"subject" expression:"true" doc:"pattern of the object, bucket or account; * matches any characters"`

	// Nth affects the n-th matching operation, counted from 1 since the fault was added, or since
	// its Since was marked. 0 affects all.
	Nth int `json:"nth,omitempty" yaml:"nth" doc:"affect the n-th matching operation, counted from the injection"`
	// Every affects every n-th matching operation: with 3 the third, the sixth, and
	// so on. 0 affects all. With Nth, it counts from the n-th operation.
	Every int `json:"every,omitempty" yaml:"every" doc:"affect every n-th matching operation"`
	// Times is the maximum number of affected operations. 0 means no limit, or one with Nth and
	// without Every.
	Times int `json:"times,omitempty" yaml:"times" doc:"maximum number of affected operations; 0 means no limit"`
	// For ends the fault this long after its first effect. 0 means never.
	For time.Duration `json:"for,omitempty" yaml:"for" doc:"end the fault this long after its first effect"`
	// Since and Until are marks (see Set.Mark), set while the fault is in the Set. Operations match
	// and count between them: without Since from the start, without Until to the end. The name of
	// another fault is a mark, too: the Set sets it when it first applies that fault.
	Since string `json:"since,omitempty" yaml:"since" flag:"-" doc:"mark, or name of a fault that is applied first, before which nothing matches; default: now"`
	Until string `json:"until,omitempty" yaml:"until" flag:"-" doc:"mark, or name of a fault that is applied first, after which nothing matches"`
}

// Moments of a crash.
const (
	// Before the operation: it does not happen.
	Before = "before"
	// After the operation: it happens, but the component gets no answer.
	After = "after"
)

// Effect is the change of an operation. Exactly one effect is required. Only Delay may be combined
// with another.
type Effect struct {
	// Fail is the code that is returned instead of the operation. It depends on the
	// seam: at api an HTTP status or a Kubernetes reason, or Reset, TLS or
	// Refused; at rpc a gRPC code; at store an S3 code or Reset, and NotExist,
	// Conflict, NotEmpty, Invalid, Limit or Closed for the driver's own calls.
	Fail string `json:"fail,omitempty" yaml:"fail" at:"api,rpc,store,process" doc:"the operation does not happen and returns this code: 409, Conflict, reset, Unavailable, SlowDown, ..."`
	// LoseReply is the code that is returned although the operation happens.
	LoseReply string `json:"loseReply,omitempty" yaml:"loseReply" at:"api,rpc,store" doc:"the operation happens, but returns this code"`
	// RetryAfter is the Retry-After header of the response, in whole seconds. It
	// requires Fail or LoseReply at the api seam.
	RetryAfter time.Duration `json:"retryAfter,omitempty" yaml:"retryAfter" with:"fail,loseReply" at:"api" doc:"Retry-After of the response"`
	// Message is the error message of Fail or LoseReply. It defaults to a usual one
	// for the code.
	Message string `json:"message,omitempty" yaml:"message" with:"fail,loseReply" doc:"error message"`

	// Delay delays the operation. On a watch event, it also delays the events after it.
	Delay time.Duration `json:"delay,omitempty" yaml:"delay" at:"api,rpc,store,process,events" doc:"the operation is delayed; may be combined with another effect"`
	// Hang blocks the operation until the caller's deadline. When the fault is removed
	// before that, the connection is lost.
	Hang bool `json:"hang,omitempty" yaml:"hang" at:"api,rpc,store" doc:"the operation does not return before the caller's deadline or the removal of the fault"`
	// Duplicate repeats the operation and returns the second answer. A watch event is
	// delivered twice.
	Duplicate bool `json:"duplicate,omitempty" yaml:"duplicate" at:"api,rpc,store,events" doc:"the operation happens twice; a watch event is delivered twice"`
	// Crash kills the component Before or After the operation, with everything it has
	// in flight. The emulator restarts it.
	Crash string `json:"crash,omitempty" yaml:"crash" at:"api,rpc,store,events" enum:"before,after" doc:"the component is killed before or after the operation, and restarts"`
	// Outage kills a process of the control plane, kube-apiserver or etcd, before the
	// operation, and restarts it.
	Outage string `json:"outage,omitempty" yaml:"outage" at:"api,rpc,store" enum:"kube-apiserver,etcd" doc:"kube-apiserver or etcd is killed before the operation, and restarts"`
	// Down delays the restart after Crash or Outage. 0 means no delay.
	Down time.Duration `json:"down,omitempty" yaml:"down" with:"crash,outage" doc:"delay before the restart; default 0"`

	// LoseLease gives the Lease of the controller or sidecar to another holder before the
	// operation, for this time in whole seconds. It requires leader election; see
	// emulator.Options.LeaderElection.
	LoseLease time.Duration `json:"loseLease,omitempty" yaml:"loseLease" at:"api,rpc" doc:"another holder takes the component's Lease before the operation, for this time in whole seconds"`
	// Clock moves the clock of the component forward, or back if negative, from the
	// operation until the fault is removed.
	Clock time.Duration `json:"clock,omitempty" yaml:"clock" at:"api,rpc,store,process" negative:"true" doc:"offset of the component's clock, such as 2h or -20m, until the fault is removed; at process, from its start"`
	// Forget, with Crash, restarts the component without its data: a fake driver loses all buckets
	// and accounts that it has provisioned, the store its buckets, accounts and objects. Other
	// components keep no data.
	Forget bool `json:"forget,omitempty" yaml:"forget" with:"crash" doc:"the store or fake driver restarts without its data"`

	// Stale answers reads of objects and lists with the state before this number of changes. A
	// deleted object is returned once a watch of any component has delivered its deletion.
	Stale int `json:"stale,omitempty" yaml:"stale" at:"api" doc:"reads (get, list) return the state before this number of changes"`
	// Drop withholds the watch event.
	Drop bool `json:"drop,omitempty" yaml:"drop" at:"events" doc:"the watch event is not delivered"`
	// CloseWatch ends the watch before the event is delivered, as the API server sometimes does.
	CloseWatch bool `json:"closeWatch,omitempty" yaml:"closeWatch" at:"events" doc:"the watch ends before the event is delivered"`
	// Lag holds a watch event, and the events of the same watch behind it, until no component makes
	// progress any more. Then it passes, and the next one is held. Meanwhile lists return the state before it.
	Lag bool `json:"lag,omitempty" yaml:"lag" at:"api,events" doc:"a watch event is held until nothing else makes progress, then the next; lists return the state before it"`
	// AsOf is the name of another fault of the Set, with Lag: the first list of each resource returns the state when
	// that fault was first applied. The watch events until that list are held one after another; later ones are not.
	AsOf string `json:"asOf,omitempty" yaml:"asOf" with:"lag" at:"api" doc:"name of another fault: first lists return the state when it was first applied, and only events until they were read are held"`
	// Freeze makes the component's view stale until the fault is removed: watch events
	// are withheld, and lists return the state before the first of them.
	Freeze bool `json:"freeze,omitempty" yaml:"freeze" at:"api,events" doc:"watch events are withheld, and lists return the state before the first of them, until the fault is removed"`

	// Interfere is a change by a person, or another program, to the objects of Object, with an
	// administrator's rights and past all components. The operation continues after the change. See
	// Interferences.
	Interfere Interference `json:"interfere,omitempty" yaml:"interfere" at:"api,rpc,store,events" enum:"delete,delete-foreground,delete-orphan,recreate,recreate-other-spec,force-delete,force-recreate,force-recreate-other-spec,strip-finalizers,strip-owners,flip-policy,edit-status,edit-metadata,strip-metadata,edit-data,make-immutable" doc:"an administrator changes the objects of object before the operation: delete, recreate, strip-finalizers, ..."`
	// Object is KIND/NAME or KIND/NAMESPACE/NAME of the objects that Interfere changes. In name and
	// namespace, * matches any number of any characters; all matching objects are changed.
	Object string `json:"object,omitempty" yaml:"object" with:"interfere" expression:"true" doc:"KIND/NAME or KIND/NAMESPACE/NAME of the objects; * is any number of any characters"`
	// After makes Interfere happen after the operation, before the component receives the response.
	After bool `json:"after,omitempty" yaml:"after" with:"interfere" doc:"the objects change after the operation, before the component receives the response"`

	// Set replaces fields of a response: values by path. A path has the names of the
	// protocol, joined by dots. null clears a field.
	Set map[string]any `json:"set,omitempty" yaml:"set" at:"rpc" doc:"new values for fields of the driver's response, by path, such as protocols.s3.region; null clears a field"`
	// Empty clears the whole response.
	Empty bool `json:"empty,omitempty" yaml:"empty" at:"rpc" doc:"the driver's response is empty"`
	// Swap returns the response of the previous matching call.
	Swap bool `json:"swap,omitempty" yaml:"swap" at:"rpc" doc:"the driver's response is replaced by the response to the previous matching call"`
	// Oversize adds this number of bytes to the response.
	Oversize int `json:"oversize,omitempty" yaml:"oversize" at:"rpc" doc:"the driver's response grows by this number of bytes"`

	// Cut ends the body of a response after this number of bytes, and breaks the connection.
	Cut int `json:"cut,omitempty" yaml:"cut" at:"store" doc:"the store's response body ends after this number of bytes, and the connection breaks"`
	// Flip flips the lowest bit of the n-th byte of a response body, counted from 1.
	Flip int `json:"flip,omitempty" yaml:"flip" at:"store" doc:"the lowest bit of the store's n-th response byte is flipped, from 1"`
	// CutUpload breaks the connection after this number of bytes of a request body. A body that
	// is not longer passes unchanged.
	CutUpload int `json:"cutUpload,omitempty" yaml:"cutUpload" at:"store" doc:"the store receives this number of bytes of the request body, then the connection breaks"`
	// FlipUpload flips the lowest bit of the n-th byte of a request body on its way to
	// the store, counted from 1 as on the wire. The framing of signed chunks counts.
	FlipUpload int `json:"flipUpload,omitempty" yaml:"flipUpload" at:"store" doc:"the lowest bit of the n-th request byte is flipped before it reaches the store, from 1"`
}

// Codes of a broken connection, for Fail and LoseReply at seams of HTTP.
const (
	// Reset is a connection that the other side has reset.
	Reset = "reset"
	// TLS is a TLS connection that ends without close_notify.
	TLS = "tls"
	// Refused is a refused connection (ECONNREFUSED).
	Refused = "refused"
)
