package scale

import (
	"context"
	"errors"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// newTestEnvironment is an environment on the control plane of the tests. In the end it deletes its
// remaining objects there.
func newTestEnvironment(tb testing.TB) *environment {
	tb.Helper()
	if testing.Short() {
		tb.Skip("it needs a control plane")
	}
	emu := emulatortest.Start(tb, emulator.Options{NoDriver: true})
	s, err := newEnvironment(tb.Context(), emu)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		ctx := harness.Context(tb)
		err := s.withComponents(ctx, newRequestCounter(), func() error {
			return errors.Join(s.clear(ctx, &v1alpha2.BucketAccessList{}), s.clear(ctx, &v1alpha2.BucketClaimList{}),
				s.clear(ctx, &v1alpha2.BucketList{}))
		})
		if err != nil {
			tb.Errorf("clean up after the test: %v", err)
		}
	})
	return s
}

// clear deletes all objects of a kind, and returns when they are gone.
func (e *environment) clear(ctx context.Context, list client.ObjectList) error {
	return wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		if err := e.admin.List(ctx, list); err != nil {
			return false, err
		}
		err := meta.EachListItem(list, func(o runtime.Object) error {
			object, ok := o.(client.Object)
			if !ok || !object.GetDeletionTimestamp().IsZero() {
				return nil
			}
			return client.IgnoreNotFound(e.admin.Delete(ctx, object))
		})
		return meta.LenList(list) == 0, err
	})
}
