package oracle_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// served is the lifecycle until everything is ready.
func served() *story {
	const ready = `"readyToUse":true`
	s := lifecycle()
	s.until("withdraw")
	filled := secretBody[:len(secretBody)-1] + `,"data":{"BUCKET_NAME":""}}`
	s.change("fill", func(e *journal.Event) { e.Request, e.Response = []byte(filled), []byte(filled) })
	s.change("ready", func(e *journal.Event) {
		*e = bucketEvent(`{"status":{`+ready+`}}`, protected, `"bucketID":"`+bucket+`",`+ready)
	})
	add := func(label string, e journal.Event) { s.happenings = append(s.happenings, happening{label, e}) }
	add("claim ready", api("controller", "patch bucketclaims/status", ns+"/photos", `{"status":{`+ready+`}}`,
		object(claimMeta+protected, `"status":{"boundBucketName":"`+bucket+`",`+ready+`}`)))
	add("access ready", accessEvent("sidecar", `{"status":{`+ready+`}}`, protected, handedOff+`,"accountID":"`+account+`",`+ready))
	return s
}

func TestReadyInVain(t *testing.T) {
	judgeStory(t, served, map[string]judging{
		"Clean": {reason: "Each object is ready when it is.", happen: func(*story) {}},
		"BucketTooEarly": {
			reason: "The Bucket is ready before the driver has created anything.",
			happen: func(s *story) { s.move("ready", "provision") },
			want:   []summary{{vocabulary.Order, "Bucket/" + bucket}},
		},
		"BucketFailed": {
			reason: "The Bucket is ready although the driver has failed.",
			happen: func(s *story) { s.change("provision", refusedBy("Unavailable")) },
			want:   []summary{{vocabulary.Order, "Bucket/" + bucket}},
		},
		"ClaimTooEarly": {
			reason: "The claim is ready before its Bucket.",
			happen: func(s *story) { s.move("claim ready", "ready") },
			want:   []summary{{vocabulary.Order, "BucketClaim/photos"}},
		},
		"SecretEmpty": {
			reason: "The access is ready while its Secret is empty.",
			happen: func(s *story) { s.move("access ready", "fill") },
			want:   []summary{{vocabulary.Order, "BucketAccess/app"}},
		},
		"SecretNotWritten": {
			reason: "The access is ready although the API server rejected its Secret.",
			happen: func(s *story) { s.change("fill", refusedBy("Conflict")) },
			want:   []summary{{vocabulary.Order, "BucketAccess/app"}},
		},
		"NotGranted": {
			reason: "The access is ready, and the driver has refused it.",
			happen: func(s *story) { s.change("grant", refusedBy("Internal")) },
			want:   []summary{{vocabulary.Order, "BucketAccess/app"}},
		},
		"ByPerson": {
			reason: "A person may write anything.",
			happen: func(s *story) {
				s.move("claim ready", "ready")
				s.change("claim ready", func(e *journal.Event) { e.Component = vocabulary.Administrator })
			},
		},
		"Incomplete": {
			reason: "Events that the journal has dropped prove nothing.",
			happen: func(s *story) { s.drop("provision", "fill"); s.input.Incomplete = true },
		},
	})
}
