// Package host has the manager in which the reconcilers of a component run: how
// it talks to the API server, what it keeps in its cache, and when it is ready.
// Controller and sidecar are operated by the same people, who should find the
// same in both.
package host

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/cosi-emu/cosi-emu/internal/reconciliation/metric"
)

// ErrStopped is returned by WaitReady when the component has ended before it was
// ready. What Start returned says why.
var ErrStopped = errors.New("it has stopped")

// Host is the manager of one instance of a component. It is started once.
type Host struct {
	manager.Manager

	ready   chan struct{}
	stopped chan struct{}
	synced  chan struct{}
	taken   chan struct{}      // closed when somebody else has the Lease
	end     context.CancelFunc // of all runnables
}

// New makes a Host that acts on the cluster, and as the user, of cfg. The
// options have what differs between components, such as scheme, Lease and
// addresses; New adds what is the same. It contacts the API server and opens the
// listeners, but starts nothing.
func New(cfg *rest.Config, options manager.Options) (*Host, error) {
	if err := metric.RegisterBuildInfo(); err != nil {
		return nil, err
	}
	h := &Host{
		ready: make(chan struct{}), stopped: make(chan struct{}), synced: make(chan struct{}), taken: make(chan struct{}),
	}
	options = complete(options)
	options.BaseContext = h.newRunnables()
	if err := h.build(unthrottled(cfg), options); err != nil {
		h.end()
		return nil, err
	}
	return h, nil
}

func (h *Host) build(cfg *rest.Config, options manager.Options) (err error) {
	if options, err = h.elect(cfg, options); err != nil {
		return fmt.Errorf("prepare the election: %w", err)
	}
	if h.Manager, err = manager.New(cfg, options); err != nil {
		return err
	}
	if err := h.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return fmt.Errorf("liveness probe: %w", err)
	}
	if err := h.AddReadyzCheck("cache", h.checkCache); err != nil {
		return fmt.Errorf("readiness probe: %w", err)
	}
	return errors.Join(h.Add(standing(h.announceSynced)), h.Add(standing(h.announceTaken)), h.Add(manager.RunnableFunc(h.announceReady)))
}

// Start runs everything that has been added until ctx is done and all of it has
// ended, or until something fails. Losing the Lease is a failure.
func (h *Host) Start(ctx context.Context) error {
	defer close(h.stopped)
	defer utilnet.CloseIdleConnectionsFor(h.GetHTTPClient().Transport)
	defer h.end()
	defer h.endEarly(ctx)()
	return h.Manager.Start(ctx)
}

// WaitReady blocks until the reconcilers are at work: the instance is the
// leader, if there is an election, and its cache is in step with the API server.
// It returns ErrStopped if that will not happen any more, and otherwise the
// error of ctx.
func (h *Host) WaitReady(ctx context.Context) error {
	select {
	case <-h.stopped: // even if it was ready once
		return ErrStopped
	default:
	}
	select {
	case <-h.ready:
		return nil
	case <-h.stopped:
		return ErrStopped
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// checkCache is the readiness probe. A standby is ready when it could take over.
func (h *Host) checkCache(*http.Request) error {
	select {
	case <-h.synced:
		return nil
	default:
		return errors.New("the cache is not in step with the API server yet")
	}
}

// standing is a runnable that does not wait for the Lease.
type standing func(context.Context) error

func (s standing) Start(ctx context.Context) error { return s(ctx) }

// NeedLeaderElection implements manager.LeaderElectionRunnable.
func (standing) NeedLeaderElection() bool { return false }

func (h *Host) announceSynced(ctx context.Context) error {
	if h.hasSynced(ctx) {
		close(h.synced)
	}
	return nil
}

// announceReady is run by the manager when it leads.
func (h *Host) announceReady(ctx context.Context) error {
	if h.hasSynced(ctx) {
		close(h.ready)
	}
	return nil
}
