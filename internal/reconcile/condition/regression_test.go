package condition

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// TestE88TimeIsIgnored: upstream, two statuses differed because they were set in different seconds.
// Recording the same result again changes nothing.
func TestE88TimeIsIgnored(t *testing.T) {
	var conditions []metav1.Condition
	found, _ := reasons.As(reasons.Failed("DriverError", "DriverCreateBucket failed (request 7f-1)"))
	For(&conditions, 1).Record(found)
	for i := range conditions {
		conditions[i].LastTransitionTime = metav1.NewTime(time.Now().Add(-time.Hour).Truncate(time.Second))
	}
	before := append([]metav1.Condition(nil), conditions...)
	again, _ := reasons.As(reasons.Failed("DriverError", "DriverCreateBucket failed (request 7f-2)"))
	For(&conditions, 1).Record(again)
	if diff := cmp.Diff(before, conditions); diff != "" {
		t.Errorf("the same, found an hour later (-before +after):\n%s", diff)
	}
}
