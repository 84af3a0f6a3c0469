package bucketaccess

import (
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
)

// TestMapBucket verifies that a Bucket causes the reconciles of served objects only: the cache does not have others, and an
// attempt to read them would fail again and again.
func TestMapBucket(t *testing.T) {
	t.Parallel()
	waiting, granted := newScene(suite.New(t)), newScene(suite.New(t))
	waiting.hasAccess()
	granted.hasAccess(handedOff(granted.hasClaim("photos")))
	request := func(s *scene) []reconcile.Request {
		return []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(s.access)}}
	}
	for name, tc := range map[string]struct {
		reason string
		scene  *scene
		// elsewhere means that the claim of the Bucket is in another namespace.
		elsewhere bool
		served    []string
		want      []reconcile.Request
	}{
		"all":        {"the access waits for the Bucket", waiting, false, nil, request(waiting)},
		"served":     {"the access waits for the Bucket", waiting, false, []string{waiting.Namespace}, request(waiting)},
		"handed off": {"the Bucket may be another one now", granted, false, nil, request(granted)},
		"elsewhere":  {"the Bucket is of another namespace", waiting, true, []string{waiting.Namespace}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			logs := funcr.New(func(prefix, args string) { t.Errorf("logged: %s %s", prefix, args) }, funcr.Options{})
			ctx := log.IntoContext(t.Context(), logs)
			bucket := &v1alpha2.Bucket{}
			bucket.Spec.BucketClaimRef = v1alpha2.BucketClaimReference{Namespace: tc.scene.Namespace, Name: "photos"}
			if tc.elsewhere {
				bucket.Spec.BucketClaimRef.Namespace = "elsewhere"
			}
			got := mapper{cache: tc.scene.Client(), namespaces: watched.New(tc.served)}.mapBucket(ctx, bucket)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
