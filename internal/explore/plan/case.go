package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
)

// Case lists the faults of one run.
type Case []Trial

// Trial is one effect at one point.
type Trial struct {
	Point run.Point `json:"point"`
	Kind  Kind      `json:"kind"`
	// Effect is the effect of the kind at the point.
	Effect fault.Effect `json:"effect"`
	// Follows makes the point count from the trial before it in a case. A run may end without
	// reaching it.
	Follows bool `json:"follows,omitempty"`
}

// String renders the trial for people. Different trials have different strings.
func (t Trial) String() string {
	switch {
	case t.Kind == TimeTravel:
		return fmt.Sprintf("%s of %s", t.Kind, t.Point)
	case t.Follows:
		return fmt.Sprintf("%s from then on at %s", t.Kind, t.Point)
	case t.Effect.After:
		return fmt.Sprintf("%s %s after %s", t.Kind, t.Effect.Object, t.Point)
	case t.Interferes():
		return fmt.Sprintf("%s %s before %s", t.Kind, t.Effect.Object, t.Point)
	case t.Kind == Lag:
		return fmt.Sprintf("%s of %s", t.Kind, t.Point)
	default:
		return fmt.Sprintf("%s at %s", t.Kind, t.Point)
	}
}

// Action renders the trial without its point.
func (t Trial) Action() string { return strings.TrimSuffix(t.String(), t.Point.String()) }

// Interferes reports whether the effect is an interference.
func (t Trial) Interferes() bool { return t.Effect.Interfere != "" }

// String renders the case for people. Different cases have different strings.
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

// Faults returns the faults to inject. The journal has their names.
func (c Case) Faults() []fault.Fault {
	all := make([]fault.Fault, len(c))
	for i, t := range c {
		all[i] = fault.Fault{Name: faultName(t.Kind, i), Match: t.Point.Match(), Effect: t.Effect}
		if t.Kind == Reject {
			all[i].Match.Times = rejections
		}
		if t.Follows {
			all[i].Match.Since, all[i].Optional = all[i-1].Name, t.Kind != TimeTravel
		}
		if at := slices.IndexFunc(all[:i], func(f fault.Fault) bool { return t.Effect.AsOf != "" && f.Name == t.Effect.AsOf }); at >= 0 {
			all[at].Match.Until = all[i-1].Name // a crash before the moment is another case
		}
	}
	return all
}

// Complete reports whether the case has the trials to which others of its trials refer.
func (c Case) Complete() bool {
	faults := c.Faults()
	return !slices.ContainsFunc(faults, func(f fault.Fault) bool {
		return f.AsOf != "" && !slices.ContainsFunc(faults, func(of fault.Fault) bool { return of.Name == f.AsOf })
	})
}

// faultName returns the name of the fault of the i-th trial of a case.
func faultName(kind Kind, i int) string { return fmt.Sprintf("%s-%d", kind, i+1) }

// rejections is the number of calls that Reject affects. Events of other objects may wake a
// component that gave up once more.
const rejections = 3

// Describe renders the case for people, with the effects of its faults.
func (c Case) Describe() string {
	if len(c) == 0 {
		return "none: the run without faults shows it"
	}
	texts := make([]string, len(c))
	for i, t := range c {
		texts[i] = t.String()
		if !t.Interferes() {
			texts[i] += ": " + effectOf(t.Effect)
		}
	}
	return strings.Join(texts, " + ")
}

func effectOf(e fault.Effect) string {
	switch {
	case e.Crash == fault.Before:
		return "crash before the operation"
	case e.Crash == fault.After:
		return "crash after the operation, before the response"
	case e.LoseReply != "":
		return "operation succeeded, response lost"
	case e.Fail != "":
		return "operation failed with " + e.Fail
	case e.Duplicate:
		return "operation executed twice"
	case e.CloseWatch:
		return "watch closed"
	case e.LoseLease > 0:
		return "another holder took the Lease"
	case e.Outage != "":
		return e.Outage + " killed before the operation, and restarted"
	case e.Stale > 0:
		return "stale response"
	case e.Lag:
		return lagOf(e)
	case e.Delay > 0:
		return fmt.Sprintf("operation delayed by %s", e.Delay)
	}
	return "fault applied"
}

func lagOf(e fault.Effect) string {
	if e.AsOf == "" {
		return "each event held until nothing else made progress"
	}
	return "next incarnation began with the state at the moment, and each event since then was held until nothing else made progress"
}
