package condition

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// KEP: COND-PROV-1, COND-VALID-1
func TestRecord(t *testing.T) {
	fresh := func() []metav1.Condition { return nil }
	pending := [2]string{"Unknown", "Pending"}
	success := [2]string{"False", "DriverSucceeded"}
	valid := [2]string{"True", "Validated"}
	const missing = "BucketClaimNotFound"
	ofMissingClaim := func() []metav1.Condition {
		conditions := provisioned()
		For(&conditions, 3).Set("ResourcesValidated", "False", missing, "")
		return conditions
	}
	cases := []struct {
		name   string
		reason string
		before func() []metav1.Condition
		found  error
		want   short
	}{
		// KEP: COND-VALID-3
		{"waiting", "nothing is wrong yet", fresh, reasons.Waiting("R", ""), short{{"Unknown", "R"}, {"Unknown", "R"}, pending}},
		// KEP: COND-VALID-5
		{"invalid", "it cannot be provisioned", fresh, reasons.Invalid("R", ""), short{{"False", "R"}, {"False", "R"}, pending}},
		// KEP: COND-PROV-4
		{"lost", "it is gone", fresh, reasons.Lost("R", ""), short{{"False", "R"}, {"False", "R"}, pending}},
		{"blocked", "only the reason is news", fresh, reasons.Blocked("R", ""), short{pending, {"Unknown", "R"}, pending}},
		{
			"unwritable", "what is needed is not there, and the rest is open", fresh, reasons.Unwritable("R", ""),
			short{{"Unknown", "R"}, {"False", "R"}, pending},
		},
		// KEP: COND-FAILED-1
		{
			"failed", "a failure that may pass leaves Provisioned open", fresh, reasons.Failed("R", ""),
			short{{"Unknown", "R"}, valid, {"True", "R"}},
		},
		{
			"rejected", "one that will not pass settles it", fresh, reasons.Rejected("R", ""),
			short{{"False", "R"}, valid, {"True", "R"}},
		},
		{
			"waiting when provisioned", "Provisioned stays True", provisioned, reasons.Waiting("R", ""),
			short{{"True", "Provisioned"}, {"Unknown", "R"}, success},
		},
		{
			"invalid when provisioned", "Provisioned stays True", provisioned, reasons.Invalid("R", ""),
			short{{"True", "Provisioned"}, {"False", "R"}, success},
		},
		{
			"lost when provisioned", "only a loss makes it False", provisioned, reasons.Lost("R", ""),
			short{{"False", "R"}, {"False", "R"}, success},
		},
		{
			"blocked when provisioned", "validity is untouched", provisioned, reasons.Blocked("R", ""),
			short{{"True", "Provisioned"}, {"True", "R"}, success},
		},
		{
			"unwritable when provisioned", "Provisioned stays True", provisioned, reasons.Unwritable("R", ""),
			short{{"True", "Provisioned"}, {"False", "R"}, success},
		},
		{
			"invalid without a claim", "only the controller resets its condition", ofMissingClaim, reasons.Invalid("R", ""),
			short{{"True", "Provisioned"}, {"False", missing}, success},
		},
		{
			"failed without a claim", "only the controller resets its condition", ofMissingClaim, reasons.Failed("R", ""),
			short{{"True", "Provisioned"}, {"False", missing}, {"True", "R"}},
		},
		// KEP: COND-PROV-5
		{
			"failed when provisioned", "Provisioned stays True", provisioned, reasons.Failed("R", ""),
			short{{"True", "Provisioned"}, valid, {"True", "R"}},
		},
		{
			"rejected when provisioned", "Provisioned stays True", provisioned, reasons.Rejected("R", ""),
			short{{"True", "Provisioned"}, valid, {"True", "R"}},
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			got := tc.before()
			found, ok := reasons.As(tc.found)
			if !ok {
				t.Fatalf("%v is no *reasons.Error", tc.found)
			}
			For(&got, 3).Record(found)
			if diff := cmp.Diff(tc.want, shorten(got)); diff != "" {
				t.Errorf("%s: conditions (-want +got):\n%s", tc.reason, diff)
			}
			for _, c := range got {
				if c.ObservedGeneration != 3 {
					t.Errorf("condition %s is of generation %d, want 3", c.Type, c.ObservedGeneration)
				}
			}
		})
	}
}

func TestRecordTwiceChangesNothing(t *testing.T) {
	var got []metav1.Condition
	found, _ := reasons.As(reasons.Invalid("R", "the same"))
	For(&got, 1).Record(found)
	before := append([]metav1.Condition(nil), got...)
	For(&got, 1).Record(found)
	if diff := cmp.Diff(before, got); diff != "" {
		t.Errorf("the same error again (-before +after):\n%s", diff)
	}
}
