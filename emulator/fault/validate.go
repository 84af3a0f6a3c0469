package fault

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/emulator/operations"
	"github.com/cosi-emu/cosi-emu/internal/glob"
)

// Validate returns an error that wraps ErrInvalid and says what cannot be: which
// effect does not exist at which seam, and which do.
func (f Fault) Validate() error {
	for _, check := range []func() string{f.checkName, f.checkMatch, f.checkEffect, f.checkCode, f.checkSides, f.checkReads, f.checkFields} {
		if problem := check(); problem != "" {
			return fmt.Errorf("%w %q: %s", ErrInvalid, f.Name, problem)
		}
	}
	return nil
}

func (f Fault) checkName() string {
	if strings.TrimSpace(f.Name) == "" {
		return "it needs a name, by which it is removed and stands in the journal"
	}
	return ""
}

func (f Fault) checkMatch() string {
	m := f.Match
	switch {
	case m.Seam == "":
		return "it needs a seam: api, rpc, store or process"
	case len(Effects(m.Seam)) == 0:
		return fmt.Sprintf("there are no faults at seam %q: it must be api, rpc, store or process", m.Seam)
	case min(m.Nth, m.Every, m.Times) < 0 || m.For < 0:
		return "nth, every, times and for must not be negative"
	case m.Nth == 1 && f.Effect.Swap:
		return "the first call has none before it to swap with: nth must be 2 or more"
	case m.Operation != "" && operations.Check(m.Seam, m.Operation) != nil:
		return operations.Check(m.Seam, m.Operation).Error()
	case m.Until != "" && m.Until == m.Since:
		return fmt.Sprintf("since and until are the same mark %q", m.Since)
	case m.Seam == journal.SeamProcess && !glob.Match(m.Operation, "start"):
		return fmt.Sprintf("at seam process only the operation start can be matched, not %q; "+
			"crash is an effect at the other seams", m.Operation)
	default:
		return ""
	}
}

func (f Fault) checkEffect() string {
	var given []string
	for _, k := range kinds {
		if !k.given(f.Effect) {
			continue
		}
		if !slices.Contains(k.seams, f.Match.Seam) {
			return fmt.Sprintf("the effect %s does not exist at seam %s, which has %s",
				k.name, f.Match.Seam, strings.Join(Effects(f.Match.Seam), ", "))
		}
		if problem := f.checkEvents(k); problem != "" {
			return problem
		}
		if k.name != "delay" {
			given = append(given, k.name)
		}
	}
	switch {
	case len(given) > 1:
		return fmt.Sprintf("it has the effects %s: one fault has one of them, only delay may stand beside it", strings.Join(given, " and "))
	case len(given) == 0 && f.Effect.Delay == 0:
		return "it has no effect: it needs one of " + strings.Join(Effects(f.Match.Seam), ", ")
	default:
		return f.checkAmounts()
	}
}

// checkEvents finds effects on events that only requests can have, and the other
// way round.
func (f Fault) checkEvents(k kind) string {
	of := f.Match.Operation
	asked := strings.HasPrefix(of, journal.EventPrefix)
	switch {
	case asked && f.Match.Seam == journal.SeamAPI && !k.events:
		return fmt.Sprintf("the effect %s does not exist for events of a watch, which have %s", k.name, strings.Join(ofEvents(), ", "))
	case k.events && !k.requests && !asked && !strings.HasPrefix(of, "*") && of != "":
		return fmt.Sprintf("the effect %s is one on events of a watch: operation %q should be %q", k.name, of, journal.EventPrefix+lastWord(of))
	default:
		return ""
	}
}

func lastWord(operation string) string {
	words := strings.Fields(operation)
	return words[len(words)-1]
}

func ofEvents() []string {
	var names []string
	for _, k := range kinds {
		if k.events {
			names = append(names, k.name)
		}
	}
	return names
}

func (f Fault) checkAmounts() string {
	e := f.Effect
	switch {
	case min(e.Delay, e.Down, e.RetryAfter) < 0 || min(e.Stale, e.Oversize, e.Cut, e.Flip, e.CutUpload, e.FlipUpload) < 0:
		return "delay, down, retryAfter, stale, oversize, cut, flip, cutUpload and flipUpload must not be negative"
	case e.Crash != "" && e.Crash != Before && e.Crash != After:
		return fmt.Sprintf("crash is %q and must be before or after", e.Crash)
	case e.Outage != "" && !slices.Contains(ControlPlane(), e.Outage):
		return fmt.Sprintf("outage is %q and must be %s", e.Outage, strings.Join(ControlPlane(), " or "))
	case e.LoseLease%time.Second != 0 || e.LoseLease < 0 || e.LoseLease > MaxLease:
		return fmt.Sprintf("loseLease is %s and must be whole seconds, in which Leases count, up to %s", e.LoseLease, MaxLease)
	default:
		return f.checkDetails()
	}
}

// checkDetails finds details of effects that are not there.
func (f Fault) checkDetails() string {
	e := f.Effect
	answers := e.Fail != "" || e.LoseReply != ""
	switch {
	case e.Down != 0 && e.Crash == "" && e.Outage == "":
		return "down needs crash or outage: it says how long something stays dead"
	case e.Forget && e.Crash == "":
		return "forget needs crash: it says that what has died comes back without what it kept"
	case e.RetryAfter != 0 && (!answers || f.Match.Seam != journal.SeamAPI):
		return "retryAfter needs fail or loseReply, at seam api"
	case e.Message != "" && !answers:
		return "message needs fail or loseReply: it is the text of the error"
	default:
		return ""
	}
}

// MaxLease is how long Effect.LoseLease may last.
const MaxLease = 24 * time.Hour

// ControlPlane returns the processes that Effect.Outage can kill.
func ControlPlane() []string { return []string{"kube-apiserver", "etcd"} }
