package metrics

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
)

// start makes a watcher count at the time of begin.
func (w *watcher) start() *watcher {
	elected := make(chan struct{})
	close(elected)
	w.elected, w.now = elected, func() time.Time { return begin.Add(time.Minute) }
	return w
}

// TestOperationsOfNamespaces verifies that the Buckets of other namespaces, which another controller counts, are not counted.
func TestOperationsOfNamespaces(t *testing.T) {
	live := func(w *watcher, created, ready, deleting client.Object) {
		w.OnAdd(created, false)
		w.OnUpdate(created, ready)
		w.OnUpdate(ready, deleting)
		w.OnDelete(deleting)
		w.OnAdd(ready, false)
		w.OnDelete(toolscache.DeletedFinalStateUnknown{Obj: ready})
	}
	counted := map[string]float64{"Create": 120, "Create Succeeded": 2, "Delete": 0, "Delete Succeeded": 1, "Delete Unknown": 1}
	for name, tc := range map[string]struct {
		namespace string
		want      map[string]float64
	}{
		"Served":    {"team-a", counted},
		"Elsewhere": {"team-b", nil},
	} {
		namespaces := watched.New([]string{"team-a"})
		t.Run(name, func(t *testing.T) {
			driver := rand.String(16)
			l := newLife(driver)
			l.created.Spec.BucketClaimRef.Namespace = tc.namespace
			l.ready.Spec.BucketClaimRef.Namespace, l.deleting.Spec.BucketClaimRef.Namespace = tc.namespace, tc.namespace
			live(V1alpha2(nil, namespaces)[1].start(), l.created, l.ready, l.deleting)
			if diff := cmp.Diff(tc.want, measured(t, driver)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
		t.Run(name+"V1alpha1", func(t *testing.T) {
			driver := rand.String(16)
			l := newLife(driver)
			created := &v1alpha1.Bucket{ObjectMeta: l.created.ObjectMeta}
			created.Spec.DriverName, created.Spec.BucketClaim = driver, &corev1.ObjectReference{Namespace: tc.namespace}
			ready := created.DeepCopy()
			ready.Status.BucketReady = true
			deleting := ready.DeepCopy()
			deleting.DeletionTimestamp = l.deleting.DeletionTimestamp
			live(V1alpha1(nil, namespaces)[1].start(), created, ready, deleting)
			if diff := cmp.Diff(tc.want, measured(t, driver)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestConcurrentNamespaces has a cache that calls a watcher for several namespaces at the same time.
func TestConcurrentNamespaces(t *testing.T) {
	const namespaces, objects = 8, 100
	driver := rand.String(16)
	w := watchBuckets().start()
	var all sync.WaitGroup
	for n := range namespaces {
		all.Go(func() {
			for i := range objects {
				l := newLife(driver)
				l.ready.UID = types.UID(fmt.Sprintf("%d-%d", n, i))
				l.deleting.UID = l.ready.UID
				w.OnUpdate(l.ready, l.deleting)
				w.OnDelete(l.deleting)
			}
		})
	}
	all.Wait()
	if got := measured(t, driver)["Delete Succeeded"]; got != namespaces*objects {
		t.Errorf("%v deletions were counted, want %d", got, namespaces*objects)
	}
	if len(w.deleting) > 0 {
		t.Errorf("%d Buckets that have gone are remembered", len(w.deleting))
	}
}
