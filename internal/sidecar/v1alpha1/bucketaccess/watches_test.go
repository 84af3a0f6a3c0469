package bucketaccess

import (
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
)

// TestMapBucket verifies that a Bucket causes the reconciles of served accesses only: the cache does not have others, and an
// attempt to list them would fail again and again.
func TestMapBucket(t *testing.T) {
	t.Parallel()
	s := newScene(suite.New(t))
	s.hasAccess()
	cache := s.Client()
	ours := []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(s.access)}}
	for name, tc := range map[string]struct {
		reason, namespace string
		served            []string
		want              []reconcile.Request
	}{
		"all":       {"the access waits for the Bucket", s.Namespace, nil, ours},
		"served":    {"the access waits for the Bucket", s.Namespace, []string{s.Namespace}, ours},
		"elsewhere": {"the Bucket is of another namespace", "elsewhere", []string{s.Namespace}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			logs := funcr.New(func(prefix, args string) { t.Errorf("logged: %s %s", prefix, args) }, funcr.Options{})
			queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
			defer queue.ShutDown()
			bucket := &v1alpha1.Bucket{Spec: v1alpha1.BucketSpec{BucketClaim: &corev1.ObjectReference{Namespace: tc.namespace, Name: "photos"}}}
			MapBucket(cache, watched.New(tc.served)).
				Create(log.IntoContext(t.Context(), logs), event.TypedCreateEvent[*v1alpha1.Bucket]{Object: bucket}, queue)
			var got []reconcile.Request
			for queue.Len() > 0 {
				request, _ := queue.Get()
				got = append(got, request)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
