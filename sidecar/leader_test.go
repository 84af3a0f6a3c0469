package sidecar_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	coordinationv1 "k8s.io/api/coordination/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
	"github.com/cosi-emu/cosi-emu/test/cluster"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// elects has sidecars elect a leader. A leader that stops releases the Lease, so
// that the next one follows soon. One that a busy machine makes late does not lose it.
func (cl *testCluster) elects() {
	cl.options.LeaderElection, cl.options.LeaderElectionNamespace = true, "cosi-system"
	cl.options.LeaseDuration, cl.options.RenewDeadline, cl.options.RetryPeriod = time.Hour, time.Minute, 200*time.Millisecond
}

// another is a second machine: other connections, other options.
func (cl *testCluster) another(change ...func(*cosisidecar.Options)) *testCluster {
	other := *cl
	other.Cluster = cl.Machine()
	for _, f := range change {
		f(&other.options)
	}
	return &other
}

// instance is a sidecar that may end before the test does.
type instance struct {
	*cosisidecar.Sidecar

	run *cluster.Run
}

// launch starts a sidecar and does not wait until it is ready.
func (cl *testCluster) launch() *instance {
	cl.Helper()
	s := cl.newSidecar()
	return &instance{Sidecar: s, run: cl.Launch(s)}
}

// leaseSuffix is how the paths of requests for the Lease end.
func (i *instance) leaseSuffix() string { return "/leases/" + cosisidecar.LeaseName(i.DriverName()) }

func (i *instance) leadsWithin(d time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	return i.WaitReady(ctx)
}

// expectStandby expects that a sidecar, whose requests the cluster records, does
// not become the leader.
func (cl *testCluster) expectStandby(i *instance) {
	cl.Helper()
	cl.Requests.ExpectStandby(cl, i.leaseSuffix())
	if i.leadsWithin(0) == nil {
		cl.Error("the standby is ready although it does not lead")
	}
}

// TestOneSidecarLeads: of two sidecars of a driver one is at work, and the other
// takes over when that one stops, without waiting for the Lease to expire.
// KEP: ARCH-4, DRIVER-4
func TestOneSidecarLeads(t *testing.T) {
	cl := newTestCluster(t)
	cl.elects()
	first := cl.launch()
	cl.Must(first.leadsWithin(harness.Timeout))
	other := cl.another()
	standby := other.launch()
	cl.readyBucket()
	other.expectStandby(standby)
	first.run.Stop()
	cl.Must(standby.leadsWithin(harness.Timeout))
	cl.readyBucket()
}

// TestE62E86LostLease: a leader that cannot renew its Lease ends its work, with
// an error, before another one begins with it; and that is soon.
// KEP: ARCH-4
func TestE62E86LostLease(t *testing.T) {
	cl := newTestCluster(t)
	cl.elects()
	const lease = 6 * time.Second
	cl.options.LeaseDuration, cl.options.RenewDeadline = lease, lease/3
	first := cl.launch()
	cl.Must(first.leadsWithin(harness.Timeout))
	standby := cl.another(func(o *cosisidecar.Options) { o.RenewDeadline = lease * 5 / 6 }).launch()
	cl.Requests.Reject(http.MethodPut, first.leaseSuffix())
	cl.Must(standby.leadsWithin(harness.Timeout))
	select {
	case err := <-first.run.Ended:
		if err == nil {
			t.Error("a lost Lease is no error: the process would end as if it had been told to")
		}
	default:
		t.Error("two sidecars of one driver are at work")
	}
	cl.readyBucket()
}

// TestDriverNameCollision: two different drivers with one name. The second never
// gets to work, also when the sidecar of the first has gone: the first has buckets.
// Both the administrator who reads its log and the one who looks at the cluster hear
// of it.
// KEP: DRIVER-2, REASON-32
// Known failure: E95
// Design: P20-NAME-7
func TestDriverNameCollision(t *testing.T) {
	for name, elects := range map[string]bool{"LeaderElection": true, "NoLeaderElection": false} {
		t.Run(name, func(t *testing.T) {
			cl := newTestCluster(t)
			cl.elects()
			cl.options.LeaderElection = elects
			cl.options.DriverGroup = "vendor-a"
			first := cl.launch()
			cl.Must(first.leadsWithin(harness.Timeout))
			cl.isRejected("vendor-b")
			cl.waitCollisionEvent()
			cl.readyBucket()
			first.run.Stop()
			message := cl.isRejected("vendor-b")
			for _, part := range []string{"vendor-a", "vendor-b", "cosi-system/" + cosisidecar.LeaseName(cl.driver.Name()), "--take-over=vendor-a"} {
				if !strings.Contains(message, part) {
					t.Errorf("the error does not name %q: %s", part, message)
				}
			}
			again := cl.another().launch() // it is still the name of the first
			cl.Must(again.leadsWithin(harness.Timeout))
		})
	}
}

// TestAwaitsDriverName: a sidecar waits for a name that belongs to another group. It gets the name
// once an administrator has deleted the Lease, and does not work before.
// Design: P20-NAME-4
func TestAwaitsDriverName(t *testing.T) {
	for name, elects := range map[string]bool{"LeaderElection": true, "NoLeaderElection": false} {
		t.Run(name, func(t *testing.T) {
			cl := newTestCluster(t)
			cl.elects()
			cl.options.LeaderElection = elects
			cl.options.DriverGroup = "vendor-a"
			first := cl.launch()
			cl.Must(first.leadsWithin(harness.Timeout))
			second := cl.another(func(o *cosisidecar.Options) {
				o.DriverGroup, o.DriverNameTimeout, o.RetryMaxDelay = "vendor-b", harness.Timeout, 100*time.Millisecond
			}).launch()
			cl.waitCollisionEvent()
			cl.readyBucket()
			first.run.Stop()
			lease := &coordinationv1.Lease{}
			lease.Namespace, lease.Name = "cosi-system", cosisidecar.LeaseName(cl.driver.Name())
			cl.Must(cl.Delete(t.Context(), lease))
			cl.Must(second.leadsWithin(harness.Timeout))
			cl.readyBucket()
		})
	}
}

// TestAwaitsDriverNameInVain: the sidecar fails after the timeout, and names the sidecar that leads.
// Design: P20-NAME-5
func TestAwaitsDriverNameInVain(t *testing.T) {
	cl := newTestCluster(t)
	cl.elects()
	cl.options.DriverGroup = "vendor-a"
	first := cl.launch()
	cl.Must(first.leadsWithin(harness.Timeout))
	cl.options.DriverNameTimeout = 300 * time.Millisecond
	lease := &coordinationv1.Lease{}
	cl.Must(cl.Get(t.Context(), client.ObjectKey{Namespace: "cosi-system", Name: cosisidecar.LeaseName(cl.driver.Name())}, lease))
	if message := cl.isRejected("vendor-b"); !strings.Contains(message, *lease.Spec.HolderIdentity) {
		t.Errorf("the error does not name the sidecar %s: %s", *lease.Spec.HolderIdentity, message)
	}
}

// TestAwaitsDriverNameAndStops: a sidecar that waits stops at once when it is told to.
func TestAwaitsDriverNameAndStops(t *testing.T) {
	cl := newTestCluster(t)
	cl.elects()
	cl.options.DriverGroup = "vendor-a"
	first := cl.launch()
	cl.Must(first.leadsWithin(harness.Timeout))
	second := cl.another(func(o *cosisidecar.Options) { o.DriverGroup, o.DriverNameTimeout = "vendor-b", time.Hour }).launch()
	cl.waitCollisionEvent()
	second.run.Stop()
}

// isRejected starts a sidecar of another group, which must end, and returns its error.
func (cl *testCluster) isRejected(group string) string {
	cl.Helper()
	rejected := cl.another(func(o *cosisidecar.Options) { o.DriverGroup = group }).launch()
	err := harness.Receive(cl, "the sidecar of group "+group+" ends", rejected.run.Ended)
	if !errors.Is(err, cosisidecar.ErrDriverNameCollision) {
		cl.Fatalf("the sidecar of group %s ended with %v, want ErrDriverNameCollision", group, err)
	}
	return err.Error()
}

// TestTakeOver: an administrator decides that a name belongs to another driver from
// now on. The sidecar of the first driver ends if it still runs, and does not come back.
func TestTakeOver(t *testing.T) {
	for name, elects := range map[string]bool{"LeaderElection": true, "NoLeaderElection": false} {
		t.Run(name, func(t *testing.T) {
			cl := newTestCluster(t)
			cl.elects()
			cl.options.LeaderElection = elects
			cl.options.DriverGroup = "vendor-a"
			first := cl.launch()
			cl.Must(first.leadsWithin(harness.Timeout))
			second := cl.another(func(o *cosisidecar.Options) { o.DriverGroup, o.TakeOver = "vendor-b", "vendor-a" }).launch()
			if err := harness.Receive(cl, "the first sidecar ends", first.run.Ended); !errors.Is(err, cosisidecar.ErrDriverNameCollision) {
				t.Errorf("the first ended with %v, want ErrDriverNameCollision", err)
			}
			cl.Must(second.leadsWithin(harness.Timeout))
			cl.readyBucket()
			cl.isRejected("vendor-a")
		})
	}
}

// TestDeletedLease: a name is free when its Lease has been deleted. A sidecar that
// runs meanwhile keeps it.
func TestDeletedLease(t *testing.T) {
	cl := newTestCluster(t)
	cl.elects()
	cl.options.DriverGroup = "vendor-a"
	first := cl.launch()
	cl.Must(first.leadsWithin(harness.Timeout))
	lease := &coordinationv1.Lease{}
	lease.Namespace, lease.Name = "cosi-system", cosisidecar.LeaseName(cl.driver.Name())
	cl.Must(cl.Delete(t.Context(), lease))
	cl.Eventually(func() error {
		if err := cl.Refresh(lease); err != nil {
			return err
		}
		if group := lease.Labels["objectstorage.k8s.io/driver-group"]; group != "vendor-a" {
			return fmt.Errorf("the Lease has the group %q", group)
		}
		return nil
	})
	cl.isRejected("vendor-b")
	first.run.Stop()
	cl.Must(cl.Delete(t.Context(), lease))
	second := cl.another(func(o *cosisidecar.Options) { o.DriverGroup = "vendor-b" }).launch()
	cl.Must(second.leadsWithin(harness.Timeout))
}

// TestDriverNameConflictWithOtherProtocols: other protocols may mean another driver or
// another version of this one. The standby reports it, and stays.
// KEP: DRIVER-2
// Design: CSI-ID-6
func TestDriverNameConflictWithOtherProtocols(t *testing.T) {
	cl := newTestCluster(t)
	cl.elects()
	first := cl.launch()
	cl.Must(first.leadsWithin(harness.Timeout))
	cl.driver.Answer("DriverGetInfo", &cosiv1alpha2.DriverGetInfoResponse{
		Name: cl.driver.Name(),
		SupportedProtocols: []*cosiv1alpha2.ObjectProtocol{
			{Type: cosiv1alpha2.ObjectProtocol_S3}, {Type: cosiv1alpha2.ObjectProtocol_GCS},
		},
	})
	standby := cl.another().launch()
	cl.waitCollisionEvent()
	first.run.Stop()
	cl.Must(standby.leadsWithin(harness.Timeout))
}

// TestOtherNamespaces: a standby whose namespaces the leader does not serve reports it, and stays. The Lease has the leader's
// namespaces.
func TestOtherNamespaces(t *testing.T) {
	cl := newTestCluster(t)
	cl.elects()
	logged := make(chan string, 100)
	logs := funcr.New(func(_, args string) {
		select {
		case logged <- args:
		default: // the test has what it waits for
		}
	}, funcr.Options{})
	serving := func(namespaces ...string) func(*cosisidecar.Options) {
		return func(o *cosisidecar.Options) { o.WatchNamespaces, o.Logger = namespaces, logs }
	}
	first := cl.another(serving(cl.Namespace, "team-a")).launch()
	cl.Must(first.leadsWithin(harness.Timeout))
	cl.expectNamespaces(strings.Join(slices.Sorted(slices.Values([]string{cl.Namespace, "team-a"})), "."))
	standby := cl.another(serving()).launch()
	for found := false; !found; {
		line := harness.Receive(cl, "the standby reports the leader's namespaces", logged)
		found = strings.Contains(line, "watches all namespaces, but the leader") && strings.Contains(line, "team-a")
	}
	first.run.Stop()
	cl.Must(standby.leadsWithin(harness.Timeout))
	cl.expectNamespaces("")
}

// expectNamespaces waits until the label of the Lease has the namespaces.
func (cl *testCluster) expectNamespaces(want string) {
	cl.Helper()
	lease := &coordinationv1.Lease{}
	lease.Namespace, lease.Name = "cosi-system", cosisidecar.LeaseName(cl.driver.Name())
	cl.Eventually(func() error {
		if err := cl.Refresh(lease); err != nil {
			return err
		}
		if got, labelled := lease.Labels["objectstorage.k8s.io/driver-namespaces"]; !labelled || got != want {
			return fmt.Errorf("the label has %q, %t; want %q", got, labelled, want)
		}
		return nil
	})
}

// waitCollisionEvent waits for the Event on the Lease.
func (cl *testCluster) waitCollisionEvent() {
	cl.Helper()
	cl.Eventually(func() error {
		lease := &coordinationv1.Lease{}
		key := client.ObjectKey{Namespace: "cosi-system", Name: cosisidecar.LeaseName(cl.driver.Name())}
		if err := cl.Get(cl.Context(), key, lease); err != nil {
			return err
		}
		if cl.EventReasons(lease)[v1alpha2.ReasonDriverNameCollision] == 0 {
			return fmt.Errorf("no Event on Lease %s", key)
		}
		return nil
	})
}

// TestDriverNameConflictWithClockAhead: a sidecar whose clock is ahead takes the Lease of another
// driver of its name for one that has run out. It is rejected all the same.
func TestDriverNameConflictWithClockAhead(t *testing.T) {
	cl := newTestCluster(t)
	cl.elects()
	cl.options.DriverGroup = "vendor-a"
	first := cl.launch()
	cl.Must(first.leadsWithin(harness.Timeout))
	cl.options.Now = func() time.Time { return time.Now().Add(time.Hour) }
	cl.isRejected("vendor-b")
	cl.readyBucket()
}
