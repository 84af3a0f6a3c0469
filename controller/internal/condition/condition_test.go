package condition

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/controller/internal/finding"
)

const (
	yes     = metav1.ConditionTrue
	no      = metav1.ConditionFalse
	unknown = metav1.ConditionUnknown
)

// short is Provisioned, ResourcesValidated and ProvisionFailed, each as status
// and reason.
type short [3][2]string

func shorten(conditions []metav1.Condition) short {
	var s short
	for i, c := range conditions {
		s[i] = [2]string{string(c.Status), c.Reason}
	}
	return s
}

func provisioned() []metav1.Condition {
	var conditions []metav1.Condition
	s := Of(&conditions, 1)
	s.Set(v1alpha2.ConditionProvisioned, yes, v1alpha2.ReasonProvisioned, "")
	s.Set(v1alpha2.ConditionResourcesValidated, yes, v1alpha2.ReasonValidated, "")
	s.Set(v1alpha2.ConditionProvisionFailed, no, v1alpha2.ReasonDriverSucceeded, "")
	return conditions
}

func TestOfStartsUnknown(t *testing.T) {
	var got []metav1.Condition
	Of(&got, 7)
	var want []metav1.Condition
	for _, conditionType := range []string{"Provisioned", "ResourcesValidated", "ProvisionFailed"} {
		want = append(want, metav1.Condition{
			Type: conditionType, Status: unknown, Reason: "Pending", Message: "nothing is known yet", ObservedGeneration: 7,
		})
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(metav1.Condition{}, "LastTransitionTime")); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
}

func TestOfKeepsAndUpdates(t *testing.T) {
	got := provisioned()
	Of(&got, 9)
	for _, c := range got {
		if c.ObservedGeneration != 9 {
			t.Errorf("condition %s is of generation %d, want 9", c.Type, c.ObservedGeneration)
		}
	}
	if diff := cmp.Diff(shorten(provisioned()), shorten(got)); diff != "" {
		t.Errorf("conditions changed (-want +got):\n%s", diff)
	}
}

func TestRecord(t *testing.T) {
	fresh := func() []metav1.Condition { return nil }
	pending := [2]string{"Unknown", "Pending"}
	success := [2]string{"False", "DriverSucceeded"}
	cases := []struct {
		name   string
		reason string
		before func() []metav1.Condition
		found  error
		want   short
	}{
		{"waiting", "nothing is wrong yet", fresh, finding.Waiting("R", ""), short{{"Unknown", "R"}, {"Unknown", "R"}, pending}},
		{"invalid", "it cannot be provisioned", fresh, finding.Invalid("R", ""), short{{"False", "R"}, {"False", "R"}, pending}},
		{"lost", "it is gone", fresh, finding.Lost("R", ""), short{{"False", "R"}, {"False", "R"}, pending}},
		{"blocked", "only the reason is news", fresh, finding.Blocked("R", ""), short{pending, {"Unknown", "R"}, pending}},
		{
			"waiting when provisioned", "Provisioned stays True", provisioned, finding.Waiting("R", ""),
			short{{"True", "Provisioned"}, {"Unknown", "R"}, success},
		},
		{
			"invalid when provisioned", "Provisioned stays True", provisioned, finding.Invalid("R", ""),
			short{{"True", "Provisioned"}, {"False", "R"}, success},
		},
		{
			"lost when provisioned", "only a loss makes it False", provisioned, finding.Lost("R", ""),
			short{{"False", "R"}, {"False", "R"}, success},
		},
		{
			"blocked when provisioned", "validity is untouched", provisioned, finding.Blocked("R", ""),
			short{{"True", "Provisioned"}, {"True", "R"}, success},
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			got := tc.before()
			found, ok := finding.As(tc.found)
			if !ok {
				t.Fatalf("%v is no finding", tc.found)
			}
			Of(&got, 1).Record(found)
			if diff := cmp.Diff(tc.want, shorten(got)); diff != "" {
				t.Errorf("%s: conditions (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRecordTwiceChangesNothing(t *testing.T) {
	var got []metav1.Condition
	found, _ := finding.As(finding.Invalid("R", "the same"))
	Of(&got, 1).Record(found)
	before := append([]metav1.Condition(nil), got...)
	Of(&got, 1).Record(found)
	if diff := cmp.Diff(before, got); diff != "" {
		t.Errorf("the same finding again (-before +after):\n%s", diff)
	}
}

func TestMessageIsClipped(t *testing.T) {
	var got []metav1.Condition
	Of(&got, 1).Set(v1alpha2.ConditionProvisioned, no, "R", strings.Repeat("ä", maxMessage))
	message := got[0].Message
	if len(message) > maxMessage || !strings.HasSuffix(message, "...") || strings.ContainsRune(message, '\uFFFD') {
		t.Errorf("message of %d bytes, ending in %q", len(message), message[len(message)-8:])
	}
}

func TestMirrorNamesBucket(t *testing.T) {
	bucket := &v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Name: "b"}}
	bucket.Status.Conditions = []metav1.Condition{
		{Type: v1alpha2.ConditionProvisionFailed, Status: yes, Reason: v1alpha2.ReasonDriverError, Message: "no space"},
	}
	var got []metav1.Condition
	Of(&got, 1).Mirror(bucket)
	want := short{{"Unknown", "WaitingForBucket"}, {"True", "Validated"}, {"True", "DriverError"}}
	if diff := cmp.Diff(want, shorten(got)); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
	if want := `Bucket "b": no space`; got[2].Message != want {
		t.Errorf("message %q, want %q", got[2].Message, want)
	}
}

func TestMirrorReplacesOwnVerdict(t *testing.T) {
	var got []metav1.Condition
	found, _ := finding.As(finding.Invalid(v1alpha2.ReasonBindingConflict, "x"))
	Of(&got, 1).Record(found)
	Of(&got, 1).Mirror(&v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Name: "b"}})
	want := short{{"Unknown", "WaitingForBucket"}, {"True", "Validated"}, {"Unknown", "Pending"}}
	if diff := cmp.Diff(want, shorten(got)); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
}
