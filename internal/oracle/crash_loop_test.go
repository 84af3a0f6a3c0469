package oracle_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// stuck tells the story until the Bucket has an ID, and observes components that never become idle. The sidecar
// has ended a number of times.
func stuck(ends int, conditions []metav1.Condition) func(*story) {
	return func(s *story) {
		s.until("provision")
		for range ends {
			ended := event("sidecar", journal.SeamProcess, journal.StepFail, "", "", "")
			ended.Outcome, ended.Message = "Error", "/bin/sidecar has ended: exit status 1"
			s.happenings = append(s.happenings, happening{event: ended})
		}
		objects, _ := well()
		objects.Accesses, objects.Secrets = nil, nil
		status := &objects.Buckets[0].Status
		status.ReadyToUse, status.Conditions = false, conditions
		objects.Claims[0].Status.ReadyToUse, objects.Claims[0].Status.Conditions = false, waiting
		s.look(objects, nil)
		s.input.Observations[0].Active = true
	}
}

// TestCrashLoop has a component that ends after each start, so that the run never comes to rest.
func TestCrashLoop(t *testing.T) {
	judge(t, map[string]judging{
		"Endless": {
			reason: "No component will provision the Bucket.", happen: stuck(3, waiting),
			want: []summary{{vocabulary.Convergence, "Bucket/" + bucket}, {vocabulary.Silence, "sidecar"}},
		},
		"Explained": {
			reason: "The Bucket reports the driver's answer.", happen: stuck(3, rejected), want: []summary{{vocabulary.Silence, "sidecar"}},
		},
		"Once": {
			reason: "The next process may provision it.", happen: stuck(1, waiting), want: []summary{{vocabulary.Silence, bucket}},
		},
		"Progress": {
			reason: "Each process has done something.",
			happen: func(s *story) {
				stuck(2, waiting)(s)
				last := s.happenings[len(s.happenings)-1]
				s.happenings[len(s.happenings)-1] = happening{"call", bucketEvent(`{"status":{}}`, protected, "")}
				s.happenings = append(s.happenings, last)
				s.input.Observations[0].Until++
			},
			want: []summary{{vocabulary.Silence, bucket}},
		},
	})
	s := lifecycle()
	stuck(3, waiting)(s)
	const want = `Bucket "` + bucket + `" is not provisioned, and no condition explains it at the end; ` +
		`sidecar has ended 3 times since patch buckets ` + bucket + ` by sidecar`
	if got := oracle.Judge(s.history()); len(got) == 0 || got[0].Message != want {
		t.Errorf("found %v, want %q", got, want)
	}
}
