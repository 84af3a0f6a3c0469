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
	"github.com/cosi-emu/cosi-emu/test/cluster"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

func TestNewNeedsAPIServer(t *testing.T) {
	if _, err := cosicontroller.New(&rest.Config{Host: "https://127.0.0.1:1"}, cosicontroller.Options{}); err == nil {
		t.Errorf("New succeeds without an API server")
	}
}

func TestWaitReady(t *testing.T) {
	h := prepare(t)
	c, err := cosicontroller.New(h.config(), cosicontroller.Options{Logger: h.log.Logger()})
	h.must(err)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := c.WaitReady(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("WaitReady with a context that has ended returns %v, want %v", err, context.Canceled)
	}
	h.must(c.Start(ended))
	if err := c.WaitReady(context.Background()); !errors.Is(err, cosicontroller.ErrStopped) {
		t.Errorf("WaitReady after the end returns %v, want %v", err, cosicontroller.ErrStopped)
	}
	h.requests.CloseIdle()
}

// TestLeaderElection: the second instance takes over when the first has ended.
// KEP: ARCH-2
func TestLeaderElection(t *testing.T) {
	elect := func(o *cosicontroller.Options) {
		o.LeaderElection, o.LeaderElectionNamespace = true, "cosi-system"
		// A leader that a busy machine makes late does not lose the Lease.
		o.LeaseDuration, o.RenewDeadline, o.RetryPeriod = time.Hour, time.Minute, 200*time.Millisecond
	}
	h := prepare(t)
	h.startController(elect)
	other := *h
	other.requests = &cluster.Requests{}
	opts := cosicontroller.Options{Logger: h.log.Logger()}
	elect(&opts)
	standby, err := cosicontroller.New(other.config(), opts)
	h.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- standby.Start(ctx) }()

	other.requests.ExpectStandby(t, "/leases/"+cosicontroller.LeaseName)
	over, done := context.WithCancel(ctx)
	done()
	if err := standby.WaitReady(over); !errors.Is(err, context.Canceled) {
		t.Errorf("two instances work at the same time: WaitReady returns %v", err)
	}
	h.running.Cancel()
	if err := <-h.running.Ended; err != nil {
		t.Errorf("first instance ended with: %v", err)
	}
	h.running = nil
	later, done := context.WithTimeout(ctx, harness.Timeout)
	defer done()
	h.must(standby.WaitReady(later))
	claim := h.claim("data")
	h.make(claim)
	h.claimSays(claim, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonBucketClassNotFound)
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("second instance ended with: %v", err)
	}
	h.requests.CloseIdle()
	other.requests.CloseIdle()
}

// TestE86LostLease: a leader that cannot renew its Lease ends its work, with an
// error, before another one begins with it.
// KEP: ARCH-2
func TestE86LostLease(t *testing.T) {
	h := prepare(t)
	const lease = 6 * time.Second
	elect := func(o *cosicontroller.Options) {
		o.LeaderElection, o.LeaderElectionNamespace = true, "cosi-system"
		o.LeaseDuration, o.RenewDeadline, o.RetryPeriod = lease, lease/3, 200*time.Millisecond
	}
	h.startController(elect)
	first := h.running
	h.running = nil
	other := *h
	other.requests = &cluster.Requests{}
	opts := cosicontroller.Options{Logger: h.log.Logger()}
	elect(&opts)
	opts.RenewDeadline = lease * 5 / 6
	standby, err := cosicontroller.New(other.config(), opts)
	h.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- standby.Start(ctx) }()
	h.failRequests(func(r *http.Request) error {
		if strings.Contains(r.URL.Path, "/leases/") {
			return errors.New("cut off")
		}
		return nil
	})
	later, done := context.WithTimeout(ctx, harness.Timeout)
	defer done()
	h.must(standby.WaitReady(later))
	select {
	case err := <-first.Ended:
		if err == nil {
			t.Error("a lost Lease is no error: the process would end as if it had been told to")
		}
	default:
		t.Error("two controllers are at work")
	}
	cancel()
	h.must(<-ended)
}
