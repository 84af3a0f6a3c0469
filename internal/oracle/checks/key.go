package checks

import (
	"fmt"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
)

// openKeys finds keys with too much access: any access after the revocation, and buckets that were
// not granted.
func openKeys(e *evidence.Evidence) []Finding {
	var found []Finding
	for i := range e.Observations {
		m := &e.Observations[i]
		for _, use := range m.KeyUses {
			if e.Touched(use.Account) {
				continue // a step has changed its grants
			}
			switch a := e.AccessOf(use.Account, m.After); {
			case len(a.Events) == 0: // not granted by COSI
			case a.Revoked:
				found = append(found, Finding{
					Rule:    e.Rule(rule.KeysRevoked),
					Subject: "account " + use.Account, Events: a.Events[max(0, len(a.Events)-maxShown):],
					Message: fmt.Sprintf("a key of account %q %s %s, although the access was revoked", use.Account, useOf(use), m.Name),
				})
			case use.Bucket != "" && !slices.Contains(a.Buckets, use.Bucket):
				found = append(found, Finding{
					Rule:    e.Rule(rule.KeysOthers),
					Subject: "account " + use.Account, Events: a.Events[max(0, len(a.Events)-maxShown):],
					Message: fmt.Sprintf("a key of account %q %s %s, which was not granted", use.Account, useOf(use), m.Name),
				})
			}
		}
	}
	return found
}

func useOf(u observed.KeyUse) string {
	if u.Bucket == "" {
		return "is accepted"
	}
	return fmt.Sprintf("opens bucket %q", u.Bucket)
}
