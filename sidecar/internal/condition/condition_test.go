package condition

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/sidecar/internal/finding"
)

// state is conditions in short: status and reason of Provisioned,
// ResourcesValidated and ProvisionFailed.
type state [3]string

func stateOf(conditions []metav1.Condition) state {
	var s state
	for i, c := range conditions {
		s[i] = string(c.Status) + "/" + c.Reason
	}
	return s
}

func TestRecord(t *testing.T) {
	const unknown = "Unknown/Pending"
	provisioned := func(s Set) { s.Succeed("done") }
	tests := map[string]struct {
		reason string
		before func(Set)
		found  *finding.Error
		want   state
	}{
		"Waiting": {
			reason: "what is waited for is unknown",
			found:  &finding.Error{Kind: finding.KindWaiting, Reason: "R"},
			want:   state{"Unknown/R", "Unknown/R", unknown},
		},
		"Invalid": {
			reason: "what cannot be is said to be so",
			found:  &finding.Error{Kind: finding.KindInvalid, Reason: "R"},
			want:   state{"False/R", "False/R", unknown},
		},
		"InvalidAfterwards": {
			reason: "Provisioned stays True",
			before: provisioned,
			found:  &finding.Error{Kind: finding.KindInvalid, Reason: "R"},
			want:   state{"True/Provisioned", "False/R", "False/DriverSucceeded"},
		},
		"Unwritable": {
			reason: "access Secrets cannot be written to: ResourcesValidated is False, and the rest open",
			found:  &finding.Error{Kind: finding.KindUnwritable, Reason: "R"},
			want:   state{"Unknown/R", "False/R", unknown},
		},
		"Failed": {
			reason: "a failure that may pass leaves Provisioned open",
			found:  &finding.Error{Kind: finding.KindFailed, Reason: "R"},
			want:   state{"Unknown/R", "True/Validated", "True/R"},
		},
		"Refused": {
			reason: "one that will not pass settles it",
			found:  &finding.Error{Kind: finding.KindRefused, Reason: "R"},
			want:   state{"False/R", "True/Validated", "True/R"},
		},
		"RefusedAfterwards": {
			reason: "but not if it is provisioned",
			before: provisioned,
			found:  &finding.Error{Kind: finding.KindRefused, Reason: "R"},
			want:   state{"True/Provisioned", "True/Validated", "True/R"},
		},
		"Blocked": {
			reason: "that a deletion waits says nothing of validity",
			before: provisioned,
			found:  &finding.Error{Kind: finding.KindBlocked, Reason: "R"},
			want:   state{"True/Provisioned", "True/R", "False/DriverSucceeded"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var conditions []metav1.Condition
			set := Of(&conditions, 3)
			if tc.before != nil {
				tc.before(set)
			}
			set.Record(tc.found)
			if diff := cmp.Diff(tc.want, stateOf(conditions)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			for _, c := range conditions {
				if c.ObservedGeneration != 3 {
					t.Errorf("%s has generation %d", c.Type, c.ObservedGeneration)
				}
			}
		})
	}
}

func TestMessagesThatAreNoNews(t *testing.T) {
	tests := map[string]struct {
		message string
		want    string
	}{
		"Same":          {message: "request 7f1 failed", want: "request 7f1 failed"},
		"AnotherNumber": {message: "request 8a2 failed", want: "request 7f1 failed"},
		"AnotherText":   {message: "request 7f1 timed out", want: "request 7f1 timed out"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var conditions []metav1.Condition
			set := Of(&conditions, 1)
			for _, message := range []string{"request 7f1 failed", tc.message} {
				set.Record(&finding.Error{Kind: finding.KindFailed, Reason: v1alpha2.ReasonDriverError, Message: message})
			}
			if got := conditions[0].Message; got != tc.want {
				t.Errorf("message %q, want %q", got, tc.want)
			}
		})
	}
}
