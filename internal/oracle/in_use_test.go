package oracle_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// TestDeletedInUse: the sidecar deletes backend objects that are still in use.
func TestDeletedInUse(t *testing.T) {
	const hasBucket = `"bucketID":"` + bucket + `"`
	hasAccount := handedOff + `,"accountID":"` + account + `"`
	deleteEarly := func(s *story) {
		s.until("withdraw")
		s.happenings = append(s.happenings, happening{event: rpc("DriverDeleteBucket", bucket, `{"bucketId":"`+bucket+`"}`, `{}`)})
		s.dropGrant()
	}
	revokeEarly := func(s *story) {
		s.until("withdraw")
		failed := rpc("DriverRevokeBucketAccess", account, `{"accountId":"`+account+`"`+itsBuckets, "")
		failed.Outcome = "Unavailable"
		s.happenings = append(s.happenings, happening{event: failed})
	}
	later := func(s *story, more string) {
		s.happenings = append(s.happenings, happening{event: bucketEvent("{}", protected+more, hasBucket)},
			happening{event: accessEvent("sidecar", "{}", protected+more, hasAccount)})
	}
	judge(t, map[string]judging{
		"Bucket": {
			reason: "The Bucket is in use before and after the call.",
			happen: func(s *story) { deleteEarly(s); later(s, "") },
			want:   []summary{{vocabulary.Loss, "Bucket/" + bucket}},
		},
		"Access": {
			reason: "The access is in use before and after the call, which failed.",
			happen: func(s *story) { revokeEarly(s); later(s, "") },
			want:   []summary{{vocabulary.Loss, "BucketAccess/app"}},
		},
		"Deleted": {
			reason: "A user has deleted both, which the journal shows only later.",
			happen: func(s *story) { deleteEarly(s); later(s, going) },
		},
		"Unknown": {
			reason: "Nothing shows what has become of the Bucket.",
			happen: deleteEarly,
		},
		"Seen": {
			reason: "The sidecar saw the Bucket being deleted before a person made another one of the same name.",
			happen: func(s *story) {
				s.before("withdraw", bucketEvent("{}", protected+going, hasBucket))
				deleteEarly(s)
				later(s, "")
			},
		},
	})
}
