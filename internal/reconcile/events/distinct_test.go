package events

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// TestDistinct: Events with the same note have the same action, so that client-go counts them together, and others do not.
func TestDistinct(t *testing.T) {
	fake := events.NewFakeRecorder(10)
	fake.Verbose = true
	recorder, bucket := Distinct(fake), &v1alpha2.Bucket{}
	for _, name := range []string{"a", "b", "a"} {
		recorder.Eventf(bucket, nil, corev1.EventTypeNormal, "Bound", string(Provision), "100%% of %s", name)
	}
	recorder.AnnotatedEventf(bucket, nil, map[string]string{"k": "v"}, corev1.EventTypeWarning, "Failed", string(Provision), "a")
	close(fake.Events)
	var got []string
	for event := range fake.Events {
		got = append(got, event)
	}
	want := []string{
		"Normal Bound Provision-e463a83a 100% of a", "Normal Bound Provision-7d6af980 100% of b", "Normal Bound Provision-e463a83a 100% of a",
		"Warning Failed Provision-e8b7be43 a map[k:v]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Events (-want +got):\n%s", diff)
	}
}
