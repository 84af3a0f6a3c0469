package oracle_test

import (
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// TestRolledBack is about objects that are older than what kube-apiserver has acknowledged.
func TestRolledBack(t *testing.T) {
	version := func(number string) string { return protected + `,"resourceVersion":"` + number + `"` }
	write := func(number string) journal.Event { return accessEvent("sidecar", "{}", version(number), handedOff) }
	get := func(number string) journal.Event {
		return api("sidecar", "get bucketaccesses", ns+"/app", "", object(accessMeta+version(number), accessSpec, `"status":{`+handedOff+`}`))
	}
	happen := func(events ...journal.Event) func(*story) {
		return func(s *story) {
			for _, e := range events {
				s.before("withdraw", e)
			}
		}
	}
	lost := []summary{{vocabulary.Loss, "BucketAccess/app"}}
	judge(t, map[string]judging{
		"Newer": {reason: "Another component has written.", happen: happen(write("9"), get("10"))},
		"Same":  {reason: "The write is there.", happen: happen(write("10"), get("10"))},
		"Older": {reason: "Version 10 is lost, which a comparison of texts would not find.", happen: happen(write("10"), get("9")), want: lost},
		"Write": {reason: "A write to an older version was accepted.", happen: happen(write("10"), write("9")), want: lost},
		"Concurrent": {
			reason: "The read began before the write had ended.",
			happen: happen(func() journal.Event { e := write("10"); e.Duration = 3 * time.Millisecond; return e }(), get("9")),
		},
		"Stale": {
			reason: "A fault returned an older version.",
			happen: happen(write("10"), func() journal.Event { e := get("9"); e.Fault = "stale"; return e }()),
		},
		"Observation": {
			reason: "The bench sees an older version at the end.",
			happen: midway(func(s *story, objects *observed.Objects, _ *observed.BackendState) {
				s.happenings = append(s.happenings, happening{event: write("10")})
				objects.Accesses[0].ResourceVersion = "9"
			}),
			want: lost,
		},
	})
}

// TestLostByControlPlane is about objects that do not exist any more after a restart of the control plane.
func TestLostByControlPlane(t *testing.T) {
	crash := event(vocabulary.Etcd, journal.SeamProcess, journal.StepCrash, "", "", "")
	without := func(events ...journal.Event) func(*story) {
		return midway(func(s *story, objects *observed.Objects, truth *observed.BackendState) {
			for _, e := range events {
				s.happenings = append(s.happenings, happening{event: e})
			}
			objects.Accesses, objects.Secrets, truth.Accounts = nil, nil, nil
		})
	}
	lost := []summary{{vocabulary.Loss, "BucketAccess/app"}}
	judge(t, map[string]judging{
		"Lost": {reason: "The access had the finalizer, and etcd has lost it.", happen: without(crash), want: lost},
		"Restarted": {reason: "All is there.", happen: midway(func(s *story, _ *observed.Objects, _ *observed.BackendState) {
			s.happenings = append(s.happenings, happening{event: crash})
		})},
		"ForceDeleted": {
			reason: "A person has removed the finalizer of the access, and has deleted it.",
			happen: without(crash, person("patch bucketaccesses", ns+"/app", noFinalizers, object(accessMeta, accessSpec)),
				person("delete bucketaccesses", ns+"/app", "", "")),
		},
		"NamespaceDeleted": {reason: "A person has deleted the namespace.", happen: without(crash, person("delete namespaces", ns, "", ""))},
		"Released": {
			reason: "The sidecar has removed the finalizer, and got no answer.",
			happen: without(func() journal.Event {
				e := api("sidecar", "patch bucketaccesses", ns+"/app", noFinalizers, "")
				e.Outcome = "ConnectionError"
				return e
			}(), crash),
		},
	})
}
