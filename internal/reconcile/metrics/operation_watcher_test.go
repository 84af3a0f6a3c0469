package metrics

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

var begin = time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC)

// life has one Bucket at its stages: created, ready seven seconds later, deleted after a minute.
type life struct{ created, ready, deleting *v1alpha2.Bucket }

func newLife(driver string) life {
	created := &v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{UID: types.UID(driver), CreationTimestamp: metav1.NewTime(begin)}}
	created.Spec.DriverName = driver
	ready := created.DeepCopy()
	ready.Status.Conditions = []metav1.Condition{{Type: v1alpha2.ConditionProvisioned, Status: metav1.ConditionTrue}}
	deleting := ready.DeepCopy()
	deleting.DeletionTimestamp = &metav1.Time{Time: begin.Add(time.Minute)}
	return life{created, ready, deleting}
}

func (l life) deletedEarly() *v1alpha2.Bucket {
	early := l.deleting.DeepCopy()
	early.Status.Conditions = nil
	return early
}

// TestWatch: the watch's events become counts and durations.
func TestWatchOperations(t *testing.T) {
	const ready, gone = 7 * time.Second, 63 * time.Second
	cases := []struct {
		name, reason string
		see          func(w *watcher, l life, at func(time.Duration))
		standby      bool
		want         map[string]float64
	}{
		// KEP: METRIC-1
		{
			name: "created", reason: "from the creation to the readiness",
			see: func(w *watcher, l life, at func(time.Duration)) {
				w.OnAdd(l.created, false)
				at(ready)
				w.OnUpdate(l.created, l.ready)
				w.OnUpdate(l.ready, l.ready)
			},
			want: map[string]float64{"Create": 7, "Create Succeeded": 1},
		},
		// KEP: METRIC-1
		{
			name: "deleted", reason: "from the deletion to the end",
			see: func(w *watcher, l life, at func(time.Duration)) {
				w.OnUpdate(l.ready, l.deleting)
				at(gone)
				w.OnDelete(l.deleting)
			},
			want: map[string]float64{"Delete": 3, "Delete Succeeded": 1},
		},
		// KEP: METRIC-4
		{
			name: "deleted before it was ready", reason: "the operation has ended",
			see: func(w *watcher, l life, at func(time.Duration)) {
				w.OnUpdate(l.created, l.deletedEarly())
				at(gone)
				w.OnDelete(l.deletedEarly())
			},
			want: map[string]float64{"Create Canceled": 1, "Delete": 3, "Delete Succeeded": 1},
		},
		{
			name: "gone at once", reason: "no finalizer held it",
			see:  func(w *watcher, l life, _ func(time.Duration)) { w.OnDelete(l.created) },
			want: map[string]float64{"Create Canceled": 1, "Delete": 0, "Delete Succeeded": 1},
		},
		// KEP: METRIC-4
		{
			name: "gone unseen", reason: "its duration is unknown",
			see: func(w *watcher, l life, _ func(time.Duration)) {
				w.OnDelete(toolscache.DeletedFinalStateUnknown{Obj: l.ready})
			},
			want: map[string]float64{"Delete Unknown": 1},
		},
		{
			name: "replaced unseen", reason: "another one has the name",
			see: func(w *watcher, l life, _ func(time.Duration)) {
				other := l.created.DeepCopy()
				other.UID = "other"
				w.OnUpdate(l.ready, other)
			},
			want: map[string]float64{"Delete Unknown": 1},
		},
		{
			name: "there before", reason: "it was counted when it became ready",
			see: func(w *watcher, l life, _ func(time.Duration)) { w.OnAdd(l.ready, true) },
		},
		{
			name: "standby", reason: "the leader counts", standby: true,
			see: func(w *watcher, l life, _ func(time.Duration)) { w.OnUpdate(l.created, l.ready) },
		},
		{
			name: "clocks that disagree", reason: "no operation ends before it begins",
			see: func(w *watcher, l life, at func(time.Duration)) {
				at(-time.Second)
				w.OnUpdate(l.created, l.ready)
			},
			want: map[string]float64{"Create": 0, "Create Succeeded": 1},
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			driver := rand.String(16) // the metrics belong to the process, which may run the test again
			elected, now := make(chan struct{}), begin
			if !tc.standby {
				close(elected)
			}
			w := watchBuckets()
			w.elected, w.now = elected, func() time.Time { return now }
			tc.see(w, newLife(driver), func(since time.Duration) { now = begin.Add(since) })
			if diff := cmp.Diff(tc.want, measured(t, driver)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if len(w.deleting) > 0 {
				t.Errorf("what has gone is remembered: %v", w.deleting)
			}
		})
	}
}

// measured returns the counts of a driver by operation and status, and the seconds by operation.
func measured(t *testing.T, driver string) map[string]float64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(seconds, count)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var found map[string]float64
	for _, family := range families {
		for _, m := range family.GetMetric() {
			labels := map[string]string{}
			for _, label := range m.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			if labels["driver_name"] != driver {
				continue
			}
			if found == nil {
				found = map[string]float64{}
			}
			key := strings.TrimSpace(labels["operation"] + " " + labels["status"])
			found[key] = m.GetCounter().GetValue() + m.GetHistogram().GetSampleSum()
		}
	}
	return found
}
