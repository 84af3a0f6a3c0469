package bucketaccess

import (
	"context"
	"errors"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/inflight"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

// TestUnsavedAccount reconciles an access a second time once the cache has the changes of the first
// reconcile.
func TestUnsavedAccount(t *testing.T) {
	t.Parallel()
	ready := func(s *scene) { s.hasAll(accessed); s.hasAccess(s.protected) }
	const unsaved = statusPatch + ": Not Found"
	phasetest.RunTable(t, &suite, []phaseCase{
		{
			Name: "access that vanishes while its account is saved", Reason: "only the sidecar knows the account",
			Given: func(s *scene) {
				ready(s)
				s.Before("patch bucketaccesses/status", func() { s.ForceRemove(s.access) })
			},
			Want: phasetest.Outcome{Writes: []string{grants, unsaved, revokes}},
		},
		{
			Name: "driver fails to revoke", Reason: "the account stays valid until it does not",
			Given: func(s *scene) {
				ready(s)
				s.driver.Fail("DriverRevokeBucketAccess", codes.Unavailable, "no")
				s.Before("patch bucketaccesses/status", func() { s.ForceRemove(s.access) })
			},
			Want: phasetest.Outcome{Writes: []string{grants, unsaved, revokes + ": Unavailable"}, Requeue: true},
		},
		{
			Name: "access that is made again under its name", Reason: "its account is another one",
			Given: func(s *scene) {
				ready(s)
				s.Before("patch bucketaccesses/status", func() { s.ForceRemove(s.access); s.hasAccess(s.protected) })
			},
			Want: phasetest.Outcome{
				Writes: []string{grants, statusPatch + ": Conflict", revokes, grants, statusPatch, creates, statusPatch},
				Events: []string{recordsReady},
			},
		},
		{
			Name: "access that was changed meanwhile", Reason: "its Bucket may go, and then no Grant returns the account again",
			Given: func(s *scene) {
				ready(s)
				s.Before("patch bucketaccesses/status", func() { s.Label(s.access) })
			},
			Want: phasetest.Outcome{
				Writes: []string{grants, statusPatch + ": Conflict", statusPatch, grants, creates, statusPatch}, Events: []string{recordsReady},
			},
		},
	}, newScene, func(s *scene) phasetest.Outcome {
		runner := s.runner(inflight.NewCalls().Line(), nil)
		got := s.Do(s.access, func(ctx context.Context, found *error) (reconcile.Result, error) {
			request := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(s.access)}
			var result reconcile.Result
			if result, *found = runner.Reconcile(ctx, request); result.IsZero() {
				return result, *found
			}
			current := func(ctx context.Context) (bool, error) {
				cached, live := &v1alpha1.BucketAccess{}, &v1alpha1.BucketAccess{}
				err := client.IgnoreNotFound(s.Client().Get(ctx, request.NamespacedName, cached))
				err = errors.Join(err, client.IgnoreNotFound(s.Live().Get(ctx, request.NamespacedName, live)))
				return cached.ResourceVersion == live.ResourceVersion, err
			}
			s.Must(wait.PollUntilContextCancel(ctx, time.Millisecond, true, current))
			return runner.Reconcile(ctx, request)
		})
		got.Changes = nil
		return got
	})
}
