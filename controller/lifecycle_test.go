package controller_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

func TestNewNeedsAPIServer(t *testing.T) {
	if _, err := cosicontroller.New(&rest.Config{Host: "https://127.0.0.1:1"}, cosicontroller.Options{}); err == nil {
		t.Errorf("New succeeds without an API server")
	}
}

func TestWaitReady(t *testing.T) {
	cl := prepare(t)
	c := cl.newController()
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := c.WaitReady(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("WaitReady with a context that has ended returns %v, want %v", err, context.Canceled)
	}
	cl.Must(c.Start(ended))
	if err := c.WaitReady(context.Background()); !errors.Is(err, cosicontroller.ErrStopped) {
		t.Errorf("WaitReady after the end returns %v, want %v", err, cosicontroller.ErrStopped)
	}
}

// machine returns the cluster for a second controller.
func (cl *testCluster) machine() *testCluster {
	return &testCluster{Cluster: cl.Machine()}
}

// elect has controllers elect a leader, which a busy machine may make late by some time.
func elect(lease, renew time.Duration) func(*cosicontroller.Options) {
	return func(o *cosicontroller.Options) {
		o.LeaderElection, o.LeaderElectionNamespace = true, "cosi-system"
		o.LeaseDuration, o.RenewDeadline, o.RetryPeriod = lease, renew, 200*time.Millisecond
	}
}

// TestLeaderElection: the second instance takes over when the first has ended.
// KEP: ARCH-2
func TestLeaderElection(t *testing.T) {
	// A leader that a busy machine makes late does not lose the Lease.
	patient := elect(time.Hour, time.Minute)
	cl := prepare(t)
	cl.startController(patient)
	other := cl.machine()
	standby := other.newController(patient)
	run := other.Launch(standby)

	other.Requests.ExpectStandby(t, "/leases/"+cosicontroller.LeaseName)
	over, done := context.WithCancel(t.Context())
	done()
	if err := standby.WaitReady(over); !errors.Is(err, context.Canceled) {
		t.Errorf("two instances work at the same time: WaitReady returns %v", err)
	}
	cl.stopController()
	cl.Must(standby.WaitReady(harness.Context(t)))
	claim := cl.claim("data")
	cl.Make(claim)
	cl.WaitCondition(claim, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonBucketClassNotFound)
	run.Stop()
}

// TestE86LostLease: a leader that cannot renew its Lease ends its work, with an
// error, before another one begins with it.
// KEP: ARCH-2
func TestE86LostLease(t *testing.T) {
	const lease = 6 * time.Second
	cl := prepare(t)
	leader := cl.newController(elect(lease, lease/3))
	first := cl.Launch(leader)
	cl.Must(leader.WaitReady(harness.Context(t)))
	other := cl.machine()
	standby := other.newController(elect(lease, lease*5/6))
	second := other.Launch(standby)
	cl.failRequests(func(r *http.Request) error {
		if strings.Contains(r.URL.Path, "/leases/") {
			return errors.New("cut off")
		}
		return nil
	})
	cl.Must(standby.WaitReady(harness.Context(t)))
	select {
	case err := <-first.Ended:
		if err == nil {
			t.Error("a lost Lease is no error: the process would end as if it had been told to")
		}
	default:
		t.Error("two controllers are at work")
	}
	second.Stop()
}
