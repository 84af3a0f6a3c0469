package bucket

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
)

func TestReportFailure(t *testing.T) {
	t.Parallel()
	failed := func(message string) *v1alpha2.Bucket {
		b := &v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Name: "b", UID: "u", DeletionTimestamp: new(metav1.Now())}}
		failing(b)
		b.Status.Conditions[0].Message = message
		return b
	}
	succeeded := failed("")
	succeeded.Status.Conditions[0].Status = metav1.ConditionFalse
	created := failed("invalid")
	created.Generation, created.Status.Conditions[0].ObservedGeneration = 2, 1
	other := failed("full")
	other.UID = "other"
	const (
		full   = `Warning FailedDeleteBucket DriverError: Bucket "b": full`
		locked = `Warning FailedDeleteBucket DriverError: Bucket "b": locked`
	)
	cases := []struct {
		name   string
		reason string
		states []*v1alpha2.Bucket
		want   []string
	}{
		{"failure", "the user is told", []*v1alpha2.Bucket{failed("full")}, []string{full}},
		{"same failure", "each retry would be an Event", []*v1alpha2.Bucket{failed("full"), failed("full")}, []string{full}},
		{"another failure", "it is news", []*v1alpha2.Bucket{failed("full"), failed("locked")}, []string{full, locked}},
		{"failure that comes back", "it is news", []*v1alpha2.Bucket{failed("full"), succeeded, failed("full")}, []string{full, full}},
		{"failure before the deletion", "it is about the creation", []*v1alpha2.Bucket{created}, nil},
		{"another Bucket", "it is another user's", []*v1alpha2.Bucket{failed("full"), other}, []string{full, full}},
		{
			"no message", "the reason stands for it", []*v1alpha2.Bucket{failed("")},
			[]string{`Warning FailedDeleteBucket DriverError: Bucket "b": DriverError`},
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			recorder := events.NewFakeRecorder(10)
			r := New(nil, nil, recorder, cosievents.NewAPIErrors(recorder))
			for _, state := range tc.states {
				r.reportFailure(state)
			}
			close(recorder.Events)
			var got []string
			for event := range recorder.Events {
				got = append(got, event)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
