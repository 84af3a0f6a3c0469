package bucketclaim

import (
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
)

// TestMapBucket verifies that a Bucket causes the reconciles of served objects only: the cache does not have others, and an
// attempt to read them would fail again and again.
func TestMapBucket(t *testing.T) {
	t.Parallel()
	s := newScene(suite.New(t))
	s.hasClaim()
	cache := s.Client()
	for name, tc := range map[string]struct {
		reason, namespace string
		served            []string
		want              []reconcile.Request
	}{
		"all":       {"the object waits for the Bucket", s.Namespace, nil, []reconcile.Request{request(s.Namespace, "photos")}},
		"served":    {"the object waits for the Bucket", s.Namespace, []string{s.Namespace}, []reconcile.Request{request(s.Namespace, "photos")}},
		"elsewhere": {"the Bucket is of another namespace", "elsewhere", []string{s.Namespace}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			logs := funcr.New(func(prefix, args string) { t.Errorf("logged: %s %s", prefix, args) }, funcr.Options{})
			ctx := log.IntoContext(t.Context(), logs)
			bucket := &v1alpha2.Bucket{}
			bucket.Spec.BucketClaimRef = v1alpha2.BucketClaimReference{Namespace: tc.namespace, Name: "photos"}
			got := mapper{cache: cache, namespaces: watched.New(tc.served)}.mapBucket(ctx, bucket)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
