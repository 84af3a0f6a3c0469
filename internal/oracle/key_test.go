package oracle_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

func TestKeys(t *testing.T) {
	const subject = "account " + account
	use := func(ready bool, uses ...observed.KeyUse) func(*story) {
		tell := afterwards(nothing)
		if ready {
			tell = midway(nothing)
		}
		return func(s *story) {
			tell(s)
			s.input.Observations[0].KeyUses = uses
		}
	}
	judge(t, map[string]judging{
		"Granted": {
			reason: "A key opens the bucket that it is for, and sees it in the list.",
			happen: use(true, observed.KeyUse{Account: account, Bucket: bucket}, observed.KeyUse{Account: account}),
		},
		"Prefix": {
			reason: "A bucket whose name begins like the granted one.",
			happen: use(true, observed.KeyUse{Account: account, Bucket: bucket + "-probe"}),
			want:   []summary{{vocabulary.Keys, subject}},
		},
		"Revoked": {
			reason: "The access was revoked, and the key goes on working.",
			happen: use(false, observed.KeyUse{Account: account, Bucket: bucket}),
			want:   []summary{{vocabulary.Keys, subject}},
		},
		"RevokedList": {
			reason: "The key opens no bucket any more, but is still accepted.",
			happen: use(false, observed.KeyUse{Account: account}),
			want:   []summary{{vocabulary.Keys, subject}},
		},
		"RevocationFailed": {
			reason: "As long as the access is not revoked, the key may work.",
			happen: func(s *story) {
				s.change("revoke", func(e *journal.Event) { e.Outcome = "Unavailable" })
				s.until("release access")
				objects, truth := well()
				s.look(objects, truth)
				m := &s.input.Observations[0]
				m.Active, m.KeyUses = false, []observed.KeyUse{{Account: account, Bucket: bucket}}
			},
		},
		"Unknown": {
			reason: "COSI has never granted the account anything.",
			happen: use(false, observed.KeyUse{Account: "administrator", Bucket: bucket}),
		},
		"PastCOSI": {
			reason: "The scenario itself has changed what the account may do.",
			happen: func(s *story) {
				use(true, observed.KeyUse{Account: account, Bucket: "other"})(s)
				s.input.External = []string{account}
			},
		},
	})
}
