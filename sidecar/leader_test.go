package sidecar_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
	"github.com/cosi-emu/cosi-emu/test/cluster"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// elects makes the world's sidecars elect one. A leader that stops releases the
// Lease, so that the next one follows soon. One that a busy machine makes late
// does not lose it.
func (w *world) elects() {
	w.options.LeaderElection, w.options.LeaderElectionNamespace = true, "cosi-system"
	w.options.LeaseDuration, w.options.RenewDeadline, w.options.RetryPeriod = time.Hour, time.Minute, 200*time.Millisecond
}

// another is a second machine: other connections, other options.
func (w *world) another(change ...func(*cosisidecar.Options)) *world {
	other := *w
	other.requests = &cluster.Requests{}
	for _, f := range change {
		f(&other.options)
	}
	return &other
}

// instance is a sidecar that may end before the test does.
type instance struct {
	*cosisidecar.Sidecar

	ended  chan error // gets what Start has returned
	cancel context.CancelFunc
}

// launch starts a sidecar and does not wait until it is ready.
func (w *world) launch() *instance {
	w.Helper()
	s, err := cosisidecar.New(w.Context(), w.config(), w.options)
	w.Must(err)
	ctx, cancel := context.WithCancel(context.Background())
	i := &instance{Sidecar: s, ended: make(chan error, 1), cancel: cancel}
	over := make(chan struct{})
	go func() {
		defer close(over)
		i.ended <- s.Start(ctx)
	}()
	w.Cleanup(func() {
		cancel()
		<-over
	})
	return i
}

// leaseSuffix is how the paths of requests for the Lease end.
func (i *instance) leaseSuffix() string { return "/leases/" + cosisidecar.LeaseName(i.DriverName()) }

func (i *instance) leadsWithin(d time.Duration) error {
	ctx, cancel := contextFor(d)
	defer cancel()
	return i.WaitReady(ctx)
}

// expectStandby expects that a sidecar, whose requests are those of the world, does
// not become the leader.
func (w *world) expectStandby(i *instance) {
	w.Helper()
	w.requests.ExpectStandby(w, i.leaseSuffix())
	if i.leadsWithin(0) == nil {
		w.Error("the standby is ready although it does not lead")
	}
}

// TestOneSidecarLeads: of two sidecars of a driver one is at work, and the other
// takes over when that one stops, without waiting for the Lease to expire.
// KEP: ARCH-4, DRIVER-4
func TestOneSidecarLeads(t *testing.T) {
	w := newWorld(t)
	w.elects()
	first := w.launch()
	w.Must(first.leadsWithin(harness.Timeout))
	other := w.another()
	standby := other.launch()
	w.readyBucket()
	other.expectStandby(standby)
	first.cancel()
	w.Must(<-first.ended)
	w.Must(standby.leadsWithin(harness.Timeout))
	w.readyBucket()
}

// TestE62E86LostLease: a leader that cannot renew its Lease ends its work, with
// an error, before another one begins with it; and that is soon.
// KEP: ARCH-4
func TestE62E86LostLease(t *testing.T) {
	w := newWorld(t)
	w.elects()
	const lease = 6 * time.Second
	w.options.LeaseDuration, w.options.RenewDeadline = lease, lease/3
	first := w.launch()
	w.Must(first.leadsWithin(harness.Timeout))
	standby := w.another(func(o *cosisidecar.Options) { o.RenewDeadline = lease * 5 / 6 }).launch()
	w.requests.Reject(http.MethodPut, first.leaseSuffix())
	w.Must(standby.leadsWithin(harness.Timeout))
	select {
	case err := <-first.ended:
		if err == nil {
			t.Error("a lost Lease is no error: the process would end as if it had been told to")
		}
	default:
		t.Error("two sidecars of one driver are at work")
	}
	w.readyBucket()
}

// TestDriverNameCollision: two different drivers with one name. The second never
// gets to work, also when the sidecar of the first has gone: the first has buckets.
// Both the administrator who reads its log and the one who looks at the cluster hear
// of it.
// KEP: DRIVER-2, REASON-32
// Known failure: E95
func TestDriverNameCollision(t *testing.T) {
	for name, elects := range map[string]bool{"LeaderElection": true, "NoLeaderElection": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.elects()
			w.options.LeaderElection = elects
			w.options.DriverGroup = "vendor-a"
			first := w.launch()
			w.Must(first.leadsWithin(harness.Timeout))
			w.isRejected("vendor-b")
			w.waitCollisionEvent()
			w.readyBucket()
			first.cancel()
			w.Must(<-first.ended)
			message := w.isRejected("vendor-b")
			for _, part := range []string{"vendor-a", "vendor-b", "cosi-system/" + cosisidecar.LeaseName(w.driver.Name()), "--take-over=vendor-a"} {
				if !strings.Contains(message, part) {
					t.Errorf("the error does not name %q: %s", part, message)
				}
			}
			again := w.another().launch() // it is still the name of the first
			w.Must(again.leadsWithin(harness.Timeout))
		})
	}
}

// isRejected starts a sidecar of another group, which must end, and returns its error.
func (w *world) isRejected(group string) string {
	w.Helper()
	rejected := w.another(func(o *cosisidecar.Options) { o.DriverGroup = group }).launch()
	err := harness.Receive(w, "the sidecar of group "+group+" ends", rejected.ended)
	if !errors.Is(err, cosisidecar.ErrDriverNameCollision) {
		w.Fatalf("the sidecar of group %s ended with %v, want ErrDriverNameCollision", group, err)
	}
	return err.Error()
}

// TestTakeOver: an administrator decides that a name belongs to another driver from
// now on. The sidecar of the first driver ends if it still runs, and does not come back.
func TestTakeOver(t *testing.T) {
	for name, elects := range map[string]bool{"LeaderElection": true, "NoLeaderElection": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.elects()
			w.options.LeaderElection = elects
			w.options.DriverGroup = "vendor-a"
			first := w.launch()
			w.Must(first.leadsWithin(harness.Timeout))
			second := w.another(func(o *cosisidecar.Options) { o.DriverGroup, o.TakeOver = "vendor-b", "vendor-a" }).launch()
			if err := harness.Receive(w, "the first sidecar ends", first.ended); !errors.Is(err, cosisidecar.ErrDriverNameCollision) {
				t.Errorf("the first ended with %v, want ErrDriverNameCollision", err)
			}
			w.Must(second.leadsWithin(harness.Timeout))
			w.readyBucket()
			w.isRejected("vendor-a")
		})
	}
}

// TestDeletedLease: a name is free when its Lease has been deleted. A sidecar that
// runs meanwhile keeps it.
func TestDeletedLease(t *testing.T) {
	w := newWorld(t)
	w.elects()
	w.options.DriverGroup = "vendor-a"
	first := w.launch()
	w.Must(first.leadsWithin(harness.Timeout))
	lease := &coordinationv1.Lease{}
	lease.Namespace, lease.Name = "cosi-system", cosisidecar.LeaseName(w.driver.Name())
	w.Must(w.Delete(t.Context(), lease))
	w.Eventually(func() error {
		if err := w.Refresh(lease); err != nil {
			return err
		}
		if group := lease.Labels["objectstorage.k8s.io/driver-group"]; group != "vendor-a" {
			return fmt.Errorf("the Lease has the group %q", group)
		}
		return nil
	})
	w.isRejected("vendor-b")
	first.cancel()
	w.Must(<-first.ended)
	w.Must(w.Delete(t.Context(), lease))
	second := w.another(func(o *cosisidecar.Options) { o.DriverGroup = "vendor-b" }).launch()
	w.Must(second.leadsWithin(harness.Timeout))
}

// TestDriverNameConflictWithOtherProtocols: other protocols may mean another driver or
// another version of this one. The standby reports it, and stays.
// KEP: DRIVER-2
func TestDriverNameConflictWithOtherProtocols(t *testing.T) {
	w := newWorld(t)
	w.elects()
	first := w.launch()
	w.Must(first.leadsWithin(harness.Timeout))
	w.driver.Answer("DriverGetInfo", &cosiv1alpha2.DriverGetInfoResponse{
		Name: w.driver.Name(),
		SupportedProtocols: []*cosiv1alpha2.ObjectProtocol{
			{Type: cosiv1alpha2.ObjectProtocol_S3}, {Type: cosiv1alpha2.ObjectProtocol_GCS},
		},
	})
	standby := w.another().launch()
	w.waitCollisionEvent()
	first.cancel()
	w.Must(<-first.ended)
	w.Must(standby.leadsWithin(harness.Timeout))
}

// waitCollisionEvent waits for the Event on the Lease.
func (w *world) waitCollisionEvent() {
	w.Helper()
	w.Eventually(func() error {
		lease := &coordinationv1.Lease{}
		key := client.ObjectKey{Namespace: "cosi-system", Name: cosisidecar.LeaseName(w.driver.Name())}
		if err := w.Get(w.Context(), key, lease); err != nil {
			return err
		}
		if w.EventReasons(lease)[v1alpha2.ReasonDriverNameCollision] == 0 {
			return fmt.Errorf("no Event on Lease %s", key)
		}
		return nil
	})
}

// TestDriverNameConflictWithClockAhead: a sidecar whose clock is ahead takes the Lease of another
// driver of its name for one that has run out. It is rejected all the same.
func TestDriverNameConflictWithClockAhead(t *testing.T) {
	w := newWorld(t)
	w.elects()
	w.options.DriverGroup = "vendor-a"
	first := w.launch()
	w.Must(first.leadsWithin(harness.Timeout))
	w.options.Now = func() time.Time { return time.Now().Add(time.Hour) }
	w.isRejected("vendor-b")
	w.readyBucket()
}
