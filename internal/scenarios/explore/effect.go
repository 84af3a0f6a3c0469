package explore

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/glob"
)

// Kind is a way to go wrong that is tried at every point that it applies to.
type Kind string

// The kinds.
const (
	// CrashBefore kills the component before the operation happens.
	CrashBefore Kind = "crash-before"
	// CrashAfter kills it when the operation has happened and it has not heard of it.
	CrashAfter Kind = "crash-after"
	// Fail has the operation not happen, and an error come back that is worth another
	// attempt.
	Fail Kind = "fail"
	// Conflict has the API server say that the object was changed meanwhile.
	Conflict Kind = "conflict"
	// LoseReply has the operation happen, and the caller see a broken connection.
	LoseReply Kind = "lose-reply"
	// Delay holds the operation up: calls until after their deadline, others for long
	// enough that everything else overtakes them.
	Delay Kind = "delay"
	// Duplicate has the operation happen twice.
	Duplicate Kind = "duplicate"
	// Stale answers a read with the past. What is read from a cache is stale when
	// its watch is late, so this is at the events of a watch, too.
	Stale Kind = "stale"
	// CutWatch ends a watch before an event is told.
	CutWatch Kind = "cut-watch"
)

// Kinds returns all kinds, in the order in which they are tried.
func Kinds() []Kind {
	return []Kind{CrashBefore, CrashAfter, Fail, Conflict, LoseReply, Delay, Duplicate, Stale, CutWatch}
}

// Timing says how long things take that are held up.
type timing struct {
	// overtaken is long enough for everything else to happen in between.
	overtaken time.Duration
	// late is beyond the deadline of a call.
	late time.Duration
}

// effects returns what the kinds are at a point: only those that apply to it. A read
// changes nothing, so it makes no difference whether it happens before a crash, or
// how often; and one whose answer is lost has failed.
func (t timing) effects(p Point) map[Kind]fault.Effect {
	all := t.all(p)
	if p.reads() {
		for _, same := range []Kind{CrashAfter, LoseReply, Duplicate} {
			delete(all, same)
		}
	}
	return all
}

func (t timing) all(p Point) map[Kind]fault.Effect {
	switch {
	case p.event():
		return map[Kind]fault.Effect{Stale: {Delay: t.overtaken}, CutWatch: {CloseWatch: true}}
	case p.Seam == journal.SeamAPI:
		return t.atAPI(p)
	case p.Seam == journal.SeamRPC:
		return common(fault.Effect{Fail: "Unavailable"}, fault.Effect{LoseReply: "Unavailable"}, fault.Effect{Delay: t.late})
	case strings.HasPrefix(p.Operation, "Admin"):
		return common(fault.Effect{Fail: "InternalError"}, fault.Effect{LoseReply: "InternalError"}, fault.Effect{Delay: t.late})
	default:
		return common(fault.Effect{Fail: "InternalError"}, fault.Effect{LoseReply: fault.Reset}, fault.Effect{Delay: t.overtaken})
	}
}

func (t timing) atAPI(p Point) map[Kind]fault.Effect {
	all := common(fault.Effect{Fail: "InternalError"}, fault.Effect{LoseReply: fault.Reset}, fault.Effect{Delay: t.overtaken})
	switch verb, _, _ := strings.Cut(p.Operation, " "); verb {
	case "get", "list":
		all[Stale] = fault.Effect{Stale: 1}
	case "update", "patch":
		all[Conflict] = fault.Effect{Fail: "Conflict"}
	}
	return all
}

func common(fail, lose, delay fault.Effect) map[Kind]fault.Effect {
	return map[Kind]fault.Effect{
		CrashBefore: {Crash: fault.Before}, CrashAfter: {Crash: fault.After},
		Fail: fail, LoseReply: lose, Delay: delay, Duplicate: {Duplicate: true},
	}
}

// Case is what goes wrong in one run: nothing, if it is empty.
type Case []Trial

// Trial is one effect at one point.
type Trial struct {
	Point Point `json:"point"`
	Kind  Kind  `json:"kind"`
	// Effect is what the kind is at the point.
	Effect fault.Effect `json:"effect"`
}

// String renders the trial for people.
func (t Trial) String() string { return fmt.Sprintf("%s at %s", t.Kind, t.Point) }

// String renders the case for people. It is the same for the same case, and
// another for any other.
func (c Case) String() string {
	if len(c) == 0 {
		return "no fault"
	}
	texts := make([]string, len(c))
	for i, t := range c {
		texts[i] = t.String()
	}
	return strings.Join(texts, " + ")
}

// faults are what is put into the set. Their names are those in the journal.
func (c Case) faults() []fault.Fault {
	all := make([]fault.Fault, len(c))
	for i, t := range c {
		all[i] = fault.Fault{Name: fmt.Sprintf("%s-%d", t.Kind, i+1), Match: t.Point.match(), Effect: t.Effect}
	}
	return all
}

// trials are what can go wrong at the points, in their order, as far as it is asked
// for.
func (t timing) trials(points []Point, kinds []Kind, at string) []Trial {
	var all []Trial
	for _, p := range points {
		if !glob.Match(at, p.String()) {
			continue
		}
		effects := t.effects(p)
		for _, kind := range Kinds() {
			effect, applies := effects[kind]
			if applies && (len(kinds) == 0 || slices.Contains(kinds, kind)) {
				all = append(all, Trial{Point: p, Kind: kind, Effect: effect})
			}
		}
	}
	return all
}
