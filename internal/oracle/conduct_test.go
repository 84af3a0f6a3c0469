package oracle_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// withText changes the response of an event.
func withText(from, to string) func(*journal.Event) {
	return func(e *journal.Event) { e.Response = bytes.ReplaceAll(e.Response, []byte(from), []byte(to)) }
}

func withPolicy(policy string) func(*journal.Event) {
	return withText(`"deletionPolicy":"Delete"`, `"deletionPolicy":"`+policy+`"`)
}

func TestForeign(t *testing.T) {
	const theirs = "two.test"
	another := withText(`"driverName":"`+driver+`"`, `"driverName":"`+theirs+`"`)
	toOthers := func(s *story) {
		for i := range s.happenings {
			another(&s.happenings[i].event)
		}
	}
	judge(t, map[string]judging{
		"Calls": {
			reason: "The Bucket is of another driver; so is its ID.",
			happen: func(s *story) {
				toOthers(s)
				s.happenings = s.happenings[:s.index("generate")+1]
				s.drop("protect bucket")
			},
			want: []summary{{vocabulary.Foreign, bucket}},
		},
		"Writes": {
			reason: "The Bucket is of another driver, and is written to.",
			happen: func(s *story) { toOthers(s); s.until("generate") },
			want:   []summary{{vocabulary.Foreign, "Bucket/" + bucket}},
		},
		"SameID": {
			reason: "Two drivers may have one ID each.",
			happen: func(s *story) {
				s.before("provision", api("sidecar.two", "patch buckets", "other", `{}`,
					object(`"name":"other"`, `"spec":{"driverName":"`+theirs+`","bucketClaimRef":{"namespace":"`+ns+`"}}`,
						`"status":{"bucketID":"`+bucket+`"}`)))
				s.input.Drivers["sidecar.two"] = theirs
			},
		},
		"BeforeHandOff": {
			reason: "No sidecar owns the access yet.",
			happen: func(s *story) {
				s.before("hand off", accessEvent("sidecar", `{"status":{}}`, protected, ""))
			},
			want: []summary{{vocabulary.Foreign, "BucketAccess/app"}},
		},
		"AnswersLost": {
			reason: "Neither the answer to the controller nor that to the sidecar is there to tell whose the access is.",
			happen: func(s *story) {
				s.before("hand off", api("sidecar", "patch bucketaccesses/status", ns+"/app", `{"status":{}}`, ""))
			},
		},
		"Claim": {
			reason: "Sidecars must not write claims, even if the API server rejects the write.",
			happen: func(s *story) {
				forbidden := api("sidecar", "patch bucketclaims", ns+"/photos", `{}`, "")
				forbidden.Outcome = "Forbidden"
				s.before("ready", forbidden)
			},
			want: []summary{{vocabulary.Foreign, "BucketClaim/photos"}},
		},
		"DeletesBucket": {
			reason: "The KEP: no sidecar deletes a Bucket.",
			happen: func(s *story) { s.change("delete bucket", func(e *journal.Event) { e.Component = "sidecar" }) },
			want:   []summary{{vocabulary.Foreign, "Bucket/" + bucket}},
		},
		"Secret": {
			reason: "A Secret that belongs to no access.",
			happen: func(s *story) {
				s.before("withdraw", api("sidecar", "update secrets", ns+"/password", `{}`, object(`"name":"password","namespace":"`+ns+`"`)))
			},
			want: []summary{{vocabulary.Foreign, "Secret/password"}},
		},
		"NameFromJournal": {
			reason: "The driver itself has said who it is.",
			happen: func(s *story) {
				toOthers(s)
				s.until("generate")
				s.input.Drivers = nil
				s.before("protect claim", rpc("DriverGetInfo", "", `{}`, `{"name":"`+driver+`"}`))
			},
			want: []summary{{vocabulary.Foreign, "Bucket/" + bucket}},
		},
	})
}

func TestSilence(t *testing.T) {
	late := func(s *story) { // the observation comes before the last two events
		objects, truth := well()
		s.until("withdraw")
		n := uint64(len(s.happenings))
		s.input.Observations = []observed.Observation{{Name: "at the end", After: n - 2, Until: n, Objects: objects, Backend: truth}}
	}
	waiting := func(since, lasting time.Duration) func(*story) {
		return func(s *story) {
			late(s)
			m := &s.input.Observations[0]
			m.Active, m.After = true, m.Until
			m.Waiting = []journal.Event{{
				Component: "sidecar", Seam: journal.SeamRPC, Operation: journal.Operation{Name: "DriverGrantBucketAccess", Subject: account},
				Time: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(since), Duration: lasting,
			}}
		}
	}
	judge(t, map[string]judging{
		"Noise": {reason: "A write after all was done.", happen: late, want: []summary{{vocabulary.Silence, ns + "/key"}}},
		"Retry": {
			reason: "What has failed is tried again.",
			happen: func(s *story) {
				s.change("grant", refusedBy("Unavailable"))
				late(s)
				access := &s.input.Observations[0].Objects.Accesses[0].Status
				access.Conditions, access.ReadyToUse = retried, false
			},
		},
		"Restless": {
			reason: "It never came to rest.",
			happen: func(s *story) {
				late(s)
				m := &s.input.Observations[0]
				m.Active, m.After = true, m.Until
			},
			want: []summary{{vocabulary.Silence, ns + "/key"}},
		},
		"Waiting": {reason: "A call has no answer for long, and nothing else happens.", happen: waiting(time.Hour, time.Minute)},
		"CallsAgain": {
			reason: "The latest of many calls has no answer yet.", happen: waiting(time.Hour, time.Millisecond),
			want: []summary{{vocabulary.Silence, ns + "/key"}},
		},
		"WaitingSince": {reason: "Other work has gone on after the call began, and ended long ago.", happen: waiting(0, time.Minute)},
		"WorksBeside": {
			reason: "A call has no answer for long, and other work goes on.", happen: waiting(-time.Minute, time.Minute+time.Second/2),
			want: []summary{{vocabulary.Silence, ns + "/key"}},
		},
		"Reads": {
			reason: "Reading is silent.",
			happen: func(s *story) {
				objects, truth := well()
				s.until("withdraw")
				n := uint64(len(s.happenings))
				s.happenings = append(s.happenings, happening{event: api("sidecar", "get secrets", ns+"/key", "", secretBody)})
				s.input.Observations = []observed.Observation{{Name: "at the end", After: n, Until: n + 1, Objects: objects, Backend: truth}}
			},
		},
	})
}

func TestSecret(t *testing.T) {
	const owner = "account " + account
	leak := func(label string) func(*story) {
		return func(s *story) { s.change(label, func(e *journal.Event) { e.Leaks = []string{owner} }) }
	}
	judge(t, map[string]judging{
		"Event": {
			reason: "A key was in a request.", happen: leak("ready"),
			want: []summary{{vocabulary.Secret, "event 7 of the journal: patch buckets by sidecar"}},
		},
		"Object": {
			reason: "A key was in a condition.",
			happen: func(s *story) { s.input.SecretLeaks = []observed.SecretLeak{{Owner: owner, Place: "BucketAccess/app"}} },
			want:   []summary{{vocabulary.Secret, "BucketAccess/app"}},
		},
		"Once": {
			reason: "A key that is in three places is one leak.",
			happen: func(s *story) {
				leak("ready")(s)
				leak("fill")(s)
				s.input.SecretLeaks = []observed.SecretLeak{{Owner: owner, Place: "BucketAccess/app"}}
			},
			want: []summary{{vocabulary.Secret, "event 7 of the journal: patch buckets by sidecar"}},
		},
		"OfOthers": {
			reason: "Another run reports the leak of its secret.",
			happen: func(s *story) {
				s.change("ready", func(e *journal.Event) { e.Leaks = []string{"account of-another", "Secret other-1/key"} })
			},
		},
	})
}

// TestStored judges an input that has been stored meanwhile.
func TestStored(t *testing.T) {
	s := lifecycle()
	s.move("provision", "identify")
	afterwards(nothing)(s)
	in := s.history()
	want := oracle.Judge(in)
	content, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var stored observed.Input
	if err := json.Unmarshal(content, &stored); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, oracle.Judge(stored)); diff != "" || len(want) == 0 {
		t.Errorf("findings of the stored input (-fresh +stored):\n%s", diff)
	}
}
