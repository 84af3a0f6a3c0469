package bucketclaim

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// said has the contents of conditions, by their types.
type said map[string]string

func sayings(conditions []metav1.Condition) said {
	all := said{}
	for _, c := range conditions {
		all[c.Type] = string(c.Status) + " " + c.Reason + ", " + c.Message
	}
	return all
}

// KEP: COND-CLAIM-7
func TestSyncConditions(t *testing.T) {
	const (
		waiting = `Unknown WaitingForBucket, Bucket "b" is not provisioned yet`
		valid   = `True Validated, bound to Bucket "b"`
		pending = "Unknown Pending, nothing is known yet"
	)
	cases := []struct {
		name   string
		reason string
		before error
		bucket []metav1.Condition
		want   said
	}{
		{
			name: "new bucket", reason: "a Bucket that says nothing is waited for",
			want: said{"Provisioned": waiting, "ResourcesValidated": valid, "ProvisionFailed": pending},
		},
		{
			name: "bucket that knows nothing", reason: "the claim says the same as for a new one, so nothing is written",
			bucket: []metav1.Condition{
				{Type: v1alpha2.ConditionProvisioned, Status: metav1.ConditionUnknown, Reason: v1alpha2.ReasonPending, Message: "x"},
				{Type: v1alpha2.ConditionResourcesValidated, Status: metav1.ConditionUnknown, Reason: v1alpha2.ReasonPending, Message: "x"},
				{Type: v1alpha2.ConditionProvisionFailed, Status: metav1.ConditionUnknown, Reason: v1alpha2.ReasonPending, Message: "x"},
			},
			want: said{"Provisioned": waiting, "ResourcesValidated": valid, "ProvisionFailed": pending},
		},
		{
			name: "failed call", reason: "the user is told which Bucket says so",
			bucket: []metav1.Condition{
				{Type: v1alpha2.ConditionProvisionFailed, Status: metav1.ConditionTrue, Reason: v1alpha2.ReasonDriverError, Message: "no space"},
			},
			want: said{"Provisioned": waiting, "ResourcesValidated": valid, "ProvisionFailed": `True DriverError, Bucket "b": no space`},
		},
		{
			name: "no message", reason: "the reason stands for it",
			bucket: []metav1.Condition{
				{Type: v1alpha2.ConditionProvisioned, Status: metav1.ConditionFalse, Reason: v1alpha2.ReasonDriverRefused},
				{Type: v1alpha2.ConditionResourcesValidated, Status: metav1.ConditionFalse, Reason: v1alpha2.ReasonInvalidSpec},
				{Type: v1alpha2.ConditionProvisionFailed, Status: metav1.ConditionTrue, Reason: v1alpha2.ReasonDriverRefused},
			},
			want: said{
				"Provisioned":        `False DriverRefused, Bucket "b": DriverRefused`,
				"ResourcesValidated": `False InvalidSpec, Bucket "b": InvalidSpec`,
				"ProvisionFailed":    `True DriverRefused, Bucket "b": DriverRefused`,
			},
		},
		{
			name: "own result", reason: "what the controller found earlier is out of date once the claim is bound",
			before: reasons.Invalid(v1alpha2.ReasonBindingConflict, "x"),
			want:   said{"Provisioned": waiting, "ResourcesValidated": valid, "ProvisionFailed": pending},
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			var got []metav1.Condition
			if found, ok := reasons.As(tc.before); ok {
				condition.For(&got, 1).Record(found)
			}
			bucket := &v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Name: "b"}}
			bucket.Status.Conditions = tc.bucket
			syncConditions(condition.For(&got, 1), bucket)
			if diff := cmp.Diff(tc.want, sayings(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
