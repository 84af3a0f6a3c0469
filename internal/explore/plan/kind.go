package plan

import (
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/glob"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// Kind is a kind of effect. Exploration tries it at every point that it applies to.
type Kind string

const (
	// CrashBefore kills the component before the operation.
	CrashBefore Kind = "crash-before"
	// CrashAfter kills the component after the operation, before the response.
	CrashAfter Kind = "crash-after"
	// Fail returns a retriable error instead of the operation.
	Fail Kind = "fail"
	// Reject returns an error instead of a deletion or a revocation, and of its next retries. The
	// error is final for other calls. Deletions and revocations must be retried after every error.
	Reject Kind = "reject"
	// Conflict returns the error Conflict of the API server.
	Conflict Kind = "conflict"
	// LoseReply executes the operation and breaks the connection to the caller.
	LoseReply Kind = "lose-reply"
	// Delay delays the operation: calls until after their deadline, others until other
	// operations have overtaken them.
	Delay Kind = "delay"
	// Duplicate executes the operation twice.
	Duplicate Kind = "duplicate"
	// Stale returns an old response to a read. A cache is stale when its watch is late,
	// so this also applies to watch events.
	Stale Kind = "stale"
	// CutWatch closes a watch before an event.
	CutWatch Kind = "cut-watch"
	// Lag holds all watch events of one resource until nothing else makes progress, during the whole run.
	Lag Kind = "lag"
	// LoseLease gives the Lease of the component to another holder before a write or a call. The component
	// has to end, and its next incarnation takes over. It requires leader election, with which a component
	// that crashes waits until its Lease has expired, so it is not among Kinds.
	LoseLease Kind = "lose-lease"
	// TimeTravel crashes the component after a write or a call, and has its next incarnation begin with the state before
	// an earlier write or call of its own.
	TimeTravel Kind = "time-travel"
	// moment marks an operation, to which a TimeTravel returns.
	moment Kind = "moment"
	// RestartAPIServer kills kube-apiserver before a write or a call, and starts it again: all watches end, and requests
	// fail meanwhile.
	RestartAPIServer Kind = "restart-apiserver"
	// RestartEtcd kills etcd before a write or a call, and starts it again: kube-apiserver answers no request meanwhile.
	RestartEtcd Kind = "restart-etcd"
)

// Kinds returns the kinds that are tried by default, in the order of exploration.
func Kinds() []Kind {
	return []Kind{CrashBefore, CrashAfter, Fail, Reject, Conflict, LoseReply, Delay, Duplicate, Stale, CutWatch, Lag}
}

// SelectedKinds returns the kinds that are tried only if they are selected, because each run takes long.
func SelectedKinds() []Kind { return []Kind{LoseLease, TimeTravel, RestartAPIServer, RestartEtcd} }

// AllKinds returns Kinds and SelectedKinds.
func AllKinds() []Kind { return append(Kinds(), SelectedKinds()...) }

// Timing has the durations of delays.
type Timing struct {
	// overtaken is long enough for all other operations to overtake a delayed one.
	overtaken time.Duration
	// late is longer than the deadline of a call.
	late time.Duration
}

// Effects returns the effects that apply to a point, by kind. A read changes nothing, so
// a crash after it equals a crash before it, and a duplicate has no effect. A read whose
// response is lost equals one that failed.
func (t Timing) Effects(p run.Point) map[Kind]fault.Effect {
	all := t.all(p)
	if p.Reads() {
		for _, same := range append(SelectedKinds(), CrashAfter, LoseReply, Duplicate) {
			delete(all, same)
		}
	}
	return all
}

func (t Timing) all(p run.Point) map[Kind]fault.Effect {
	all := t.ofMachines(p)
	if elected := p.Component == vocabulary.Controller || vocabulary.IsSidecar(p.Component); elected && !p.Event() {
		all[LoseLease] = fault.Effect{LoseLease: leaseLost}
	}
	if !p.Event() {
		all[RestartAPIServer] = fault.Effect{Outage: vocabulary.APIServer}
		all[RestartEtcd] = fault.Effect{Outage: vocabulary.Etcd}
	}
	return all
}

// leaseLost is how long another holder has a Lease: as short as Leases can count.
const leaseLost = time.Second

func (t Timing) ofMachines(p run.Point) map[Kind]fault.Effect {
	switch {
	case p.Event():
		return map[Kind]fault.Effect{Stale: {Delay: t.overtaken}, CutWatch: {CloseWatch: true}}
	case p.Seam == journal.SeamAPI:
		return t.atAPI(p)
	case p.Seam == journal.SeamRPC:
		return t.atDriver(p)
	case strings.HasPrefix(p.Operation, "Admin"):
		return common(fault.Effect{Fail: "InternalError"}, fault.Effect{LoseReply: "InternalError"}, fault.Effect{Delay: t.late})
	default:
		return common(fault.Effect{Fail: "InternalError"}, fault.Effect{LoseReply: fault.Reset}, fault.Effect{Delay: t.overtaken})
	}
}

func (t Timing) atAPI(p run.Point) map[Kind]fault.Effect {
	all := common(fault.Effect{Fail: "InternalError"}, fault.Effect{LoseReply: fault.Reset}, fault.Effect{Delay: t.overtaken})
	switch verb, _, _ := strings.Cut(p.Operation, " "); verb {
	case "get", "list":
		all[Stale] = fault.Effect{Stale: 1}
	case "update", "patch":
		all[Conflict] = fault.Effect{Fail: "Conflict"}
	}
	return all
}

func (t Timing) atDriver(p run.Point) map[Kind]fault.Effect {
	all := common(fault.Effect{Fail: "Unavailable"}, fault.Effect{LoseReply: "Unavailable"}, fault.Effect{Delay: t.late})
	if p.Operation == "DriverDeleteBucket" || p.Operation == "DriverRevokeBucketAccess" {
		all[Reject] = fault.Effect{Fail: "InvalidArgument"}
	}
	return all
}

func common(fail, lose, delay fault.Effect) map[Kind]fault.Effect {
	return map[Kind]fault.Effect{
		CrashBefore: {Crash: fault.Before}, CrashAfter: {Crash: fault.After},
		Fail: fail, LoseReply: lose, Delay: delay, Duplicate: {Duplicate: true},
	}
}

// Lags returns a trial for each resource that a component watches in a run, if they are selected. It
// concerns the events and the lists of the resource. A scenario that withholds events itself has none for
// that component.
func Lags(o *run.Record, kinds []Kind, at string) []Trial {
	var all []Trial
	if !selects(kinds, Lag) {
		return nil
	}
	for _, p := range run.PointsOf(o.Open(), o.Names) {
		if o.Withholds(p.Component) {
			continue
		}
		every := run.Point{Component: p.Component, Seam: p.Seam, Operation: "* " + strings.TrimPrefix(p.Operation, journal.EventPrefix)}
		lag := Trial{Point: every, Kind: Lag, Effect: fault.Effect{Lag: true}}
		isKnown := func(t Trial) bool { return t.Point == lag.Point }
		if p.Event() && glob.Match(at, lag.Point.String()) && !slices.ContainsFunc(all, isKnown) {
			all = append(all, lag)
		}
	}
	return all
}

// LateRestarts returns the cases of a component that restarts before a write or a call, or that another
// incarnation takes over from, while a resource lags: the next incarnation starts with a list from before.
func LateRestarts(trials []Trial) []Case {
	var all []Case
	for _, lag := range trials {
		for _, restart := range trials {
			restarts := restart.Kind == CrashBefore || restart.Kind == LoseLease
			if lag.Kind == Lag && restarts && restart.Point.Component == lag.Point.Component && !restart.Point.Reads() {
				restart.Follows = true
				all = append(all, Case{lag, restart})
			}
		}
	}
	return all
}

func selects(kinds []Kind, kind Kind) bool { return len(kinds) == 0 || slices.Contains(kinds, kind) }

// Trials returns the selected trials at the points, in the order of points.
func (t Timing) Trials(points []run.Point, kinds []Kind, at string) []Trial {
	if len(kinds) == 0 {
		kinds = Kinds()
	}
	var all []Trial
	for _, p := range points {
		if !glob.Match(at, p.String()) {
			continue
		}
		effects := t.Effects(p)
		for _, kind := range AllKinds() {
			if effect, applies := effects[kind]; applies && slices.Contains(kinds, kind) {
				all = append(all, Trial{Point: p, Kind: kind, Effect: effect})
			}
		}
	}
	return all
}

// TimingOf returns the delays for drivers whose calls have a timeout.
func TimingOf(call time.Duration) Timing {
	return Timing{overtaken: 150 * time.Millisecond, late: call + 100*time.Millisecond}
}

// DefaultCallTimeout is the timeout of driver calls. It is shorter than in production, so
// a run with a hanging call ends soon.
const DefaultCallTimeout = 500 * time.Millisecond
