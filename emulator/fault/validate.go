package fault

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/glob"
	"github.com/cosi-emu/cosi-emu/internal/seam/operations"
)

// Validate returns an error that wraps ErrInvalid and describes the problem. For an effect that
// does not exist at a seam, it lists the effects that do.
func (f Fault) Validate() error {
	for _, check := range []func() string{
		f.checkName, f.checkMatch, f.checkEffect, f.checkCode, f.checkSides, f.checkReads, f.checkFields, f.checkInterference,
	} {
		if problem := check(); problem != "" {
			return fmt.Errorf("%w %q: %s", ErrInvalid, f.Name, problem)
		}
	}
	return nil
}

func (f Fault) checkName() string {
	if strings.TrimSpace(f.Name) == "" {
		return "it needs a name, which identifies it in the journal"
	}
	return ""
}

func (f Fault) checkMatch() string {
	m := f.Match
	switch {
	case len(Effects(m.Seam)) == 0:
		return fmt.Sprintf("the seam is %q and must be api, rpc, store or process", m.Seam)
	case min(m.Nth, m.Every, m.Times) < 0 || m.For < 0:
		return "nth, every, times and for must not be negative"
	case m.Nth == 1 && f.Effect.Swap:
		return "the first call has none before it to swap with: nth must be 2 or more"
	case m.Until != "" && m.Until == m.Since:
		return fmt.Sprintf("since and until are the same mark %q", m.Since)
	default:
		return m.checkOperation()
	}
}

func (m Match) checkOperation() string {
	if err := operations.Check(m.Seam, m.Operation); err != nil {
		return err.Error()
	}
	if m.Seam == journal.SeamProcess && !glob.Match(m.Operation, journal.StepStart) {
		return fmt.Sprintf("at seam process only the operation start can be matched, not %q; "+
			"crash is an effect at the other seams", m.Operation)
	}
	return ""
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
		if !k.isDelay() {
			given = append(given, k.name)
		}
	}
	switch {
	case len(given) > 1:
		return fmt.Sprintf("it has the effects %s: a fault has one effect, which only delay can be combined with", strings.Join(given, " and "))
	case len(given) == 0 && f.Effect.Delay == 0:
		return "it has no effect: it needs one of " + strings.Join(Effects(f.Match.Seam), ", ")
	default:
		return f.checkAmounts()
	}
}

// checkEvents finds effects on events that exist for requests only, and the other way round.
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

func ofEvents() []string { return namesOf(func(k kind) bool { return k.events }) }

func (f Fault) checkAmounts() string {
	for _, k := range slices.Concat(kinds, details) {
		switch v := k.of(f.Effect); {
		case !k.negative && v.CanInt() && v.Int() < 0:
			return k.name + " must not be negative"
		case len(k.enum) > 0 && k.given(f.Effect) && !slices.Contains(k.enum, v.String()):
			return fmt.Sprintf("%s is %q and must be %s", k.name, v, strings.Join(k.enum, " or "))
		}
	}
	if f.LoseLease%time.Second != 0 || f.LoseLease > MaxLease {
		return fmt.Sprintf("loseLease is %s and must be whole seconds, in which Leases count, up to %s", f.LoseLease, MaxLease)
	}
	return f.checkDetails()
}

func (f Fault) checkDetails() string {
	for _, d := range details {
		if !d.given(f.Effect) {
			continue
		}
		isGiven := func(k kind) bool { return k.given(f.Effect) && slices.Contains(d.with, k.name) }
		elsewhere := len(d.seams) > 0 && !slices.Contains(d.seams, f.Seam)
		switch needs := d.name + " needs " + strings.Join(d.with, " or "); {
		case elsewhere:
			return fmt.Sprintf("%s, at seam %s", needs, d.seams[0])
		case !slices.ContainsFunc(kinds, isGiven):
			return needs
		}
	}
	return ""
}

// MaxLease is how long Effect.LoseLease may last.
const MaxLease = 24 * time.Hour
