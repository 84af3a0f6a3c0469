package checks

import (
	"fmt"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
)

// leaked are the places of a secret.
type leaked struct {
	owner  string
	places []string
	events []uint64
}

// secretLeaks are the secrets of the scope in wrong places. One secret is one finding: its leaks
// mostly have one cause.
func secretLeaks(e *evidence.Evidence) []Finding {
	var all []*leaked
	of := func(owner string) *leaked {
		for _, l := range all {
			if l.owner == owner {
				return l
			}
		}
		l := &leaked{owner: owner}
		all = append(all, l)
		return l
	}
	for _, event := range e.Events {
		for _, owner := range event.Leaks {
			l := of(owner)
			l.places = append(l.places, placeOf(event))
			l.events = append(l.events, event.Seq)
		}
	}
	for _, s := range e.SecretLeaks {
		l := of(s.Owner)
		l.places = append(l.places, s.Place)
	}
	var found []Finding
	for _, l := range all {
		if ownsSecret(e, l.owner) {
			found = append(found, Finding{
				Rule: e.Rule(rule.SecretElsewhere), Subject: l.places[0], Events: l.events[:min(len(l.events), maxShown)], Message: l.message(),
			})
		}
	}
	return found
}

func (l *leaked) message() string {
	message := fmt.Sprintf("the secret of %s is in %s", l.owner, l.places[0])
	if more := len(l.places) - 1; more > 0 {
		message += fmt.Sprintf(", and in %d more places", more)
	}
	return message
}

// ownsSecret reports whether a secret's account or Secret is in the scope.
func ownsSecret(e *evidence.Evidence, owner string) bool {
	_, name, _ := strings.Cut(owner, " ")
	return e.IDs[name] || e.Scope.Names(name)
}

func placeOf(e journal.Event) string {
	if e.Seam == journal.SeamLog {
		return fmt.Sprintf("event %d of the journal: the log of %s", e.Seq, e.Component)
	}
	return fmt.Sprintf("event %d of the journal: %s by %s", e.Seq, e.Operation.Name, e.Component)
}
