package existingcluster_test

import (
	"errors"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/internal/existingcluster"
)

func leaseOf(namespace, name, holder string, renewed time.Time) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: &holder, LeaseDurationSeconds: new(int32(2)), RenewTime: new(metav1.NewMicroTime(renewed)),
		},
	}
}

func TestCheckLeases(t *testing.T) {
	c := openShared(t)
	here, elsewhere := controlplanetest.Namespace(t), controlplanetest.Namespace(t)
	for _, tc := range []struct {
		name, reason string
		lease        *coordinationv1.Lease
		renews, busy bool
	}{
		{"none", "the Lease has never had a holder", nil, false, false},
		{"released", "it was given back", leaseOf(here, "released", "", time.Now()), false, false},
		{"abandoned", "its holder died long ago", leaseOf(here, "abandoned", "x", time.Now().Add(-time.Hour)), false, false},
		{"killed", "its holder died just now", leaseOf(here, "killed", "x", time.Now()), false, false},
		{"held", "a holder renews it", leaseOf(here, "held", "x", time.Now()), true, true},
		{"elsewhere", "a holder renews it in another namespace", leaseOf(elsewhere, "elsewhere", "x", time.Now()), true, true},
		{"slow clock", "the holder's clock is behind", leaseOf(here, "slow-clock", "x", time.Now().Add(-30*time.Second)), true, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			name := "nothing"
			if tc.lease != nil {
				name = tc.lease.Name
				if err := admin(t).Create(t.Context(), tc.lease); err != nil {
					t.Fatal(err)
				}
			}
			if tc.renews {
				defer keep(t, tc.lease)()
			}
			if err := c.CheckLeases(t.Context(), here, name); errors.Is(err, existingcluster.ErrBusy) != tc.busy || !tc.busy && err != nil {
				t.Errorf("%s: CheckLeases() = %v", tc.reason, err)
			}
		})
	}
}

// keep renews a Lease until the returned function is called.
func keep(t *testing.T, lease *coordinationv1.Lease) (stop func()) {
	t.Helper()
	c, ended, done := admin(t), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(200 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-ended:
				return
			case <-ticker.C:
			}
			before := lease.DeepCopy()
			lease.Spec.RenewTime = new(metav1.NewMicroTime(lease.Spec.RenewTime.Add(time.Second)))
			if err := c.Patch(t.Context(), lease, client.MergeFrom(before)); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	return func() {
		close(ended)
		<-done
	}
}
