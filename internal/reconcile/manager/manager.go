// Package manager contains the manager of a component's reconcilers: connection to the API server,
// cache, leader election, and readiness. Both components behave alike, because the same people
// operate them.
package manager

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	cosimetrics "github.com/cosi-emu/cosi-emu/internal/reconcile/metrics"
)

// ErrStopped is returned by WaitReady when the component has ended before it was ready. Start
// returns the cause.
var ErrStopped = errors.New("it has stopped")

// Manager is the manager of one instance of a component. It is started once.
type Manager struct {
	manager.Manager

	// BeforeStart, if set, runs before everything else, the election included. An error ends the
	// manager.
	BeforeStart func(context.Context) error

	ready   chan struct{}
	stopped chan struct{}
	synced  chan struct{}
	taken   chan struct{}      // closed when another instance has the Lease
	stop    context.CancelFunc // of all runnables
}

// New creates a Manager for the cluster and the user of cfg. The options are specific to the
// component, such as scheme, Lease and addresses; New adds the common ones. It contacts the API
// server and opens the listeners, but starts nothing.
func New(cfg *rest.Config, options manager.Options) (*Manager, error) {
	if err := cosimetrics.RegisterBuildInfo(); err != nil {
		return nil, err
	}
	m := &Manager{
		ready: make(chan struct{}), stopped: make(chan struct{}), synced: make(chan struct{}), taken: make(chan struct{}),
	}
	options = complete(options)
	options.BaseContext = m.newRunnables()
	if err := m.build(unthrottled(cfg), options); err != nil {
		m.stop()
		return nil, err
	}
	return m, nil
}

func (m *Manager) build(cfg *rest.Config, options manager.Options) (err error) {
	if options, err = m.watchElection(cfg, options); err != nil {
		return fmt.Errorf("prepare the election: %w", err)
	}
	if m.Manager, err = manager.New(cfg, options); err != nil {
		return err
	}
	if err := m.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return fmt.Errorf("liveness probe: %w", err)
	}
	if err := m.AddReadyzCheck("cache", m.checkCache); err != nil {
		return fmt.Errorf("readiness probe: %w", err)
	}
	return errors.Join(m.Add(standbyRunnable(m.markSynced)), m.Add(standbyRunnable(m.failWhenTaken)), m.Add(manager.RunnableFunc(m.markReady)))
}

// Start runs all runnables until ctx is done and they have ended, or until one fails. Losing the
// Lease is a failure.
func (m *Manager) Start(ctx context.Context) error {
	defer close(m.stopped)
	defer utilnet.CloseIdleConnectionsFor(m.GetHTTPClient().Transport)
	defer m.stop()
	defer m.stopEarly(ctx)()
	if m.BeforeStart != nil {
		err := m.BeforeStart(ctx)
		if ctx.Err() != nil {
			return nil // it was told to stop before it has done anything
		}
		if err != nil {
			return err
		}
	}
	return m.Manager.Start(ctx)
}

// WaitReady blocks until the reconcilers run: the instance is the leader, if there is an election,
// and its cache has synced. It returns ErrStopped if that has become impossible, and the error of
// ctx only if the instance is not ready when ctx ends.
func (m *Manager) WaitReady(ctx context.Context) error {
	select {
	case <-m.stopped: // even if it was ready before
		return ErrStopped
	default:
	}
	select {
	case <-m.ready: // even if ctx has ended
		return nil
	default:
	}
	select {
	case <-m.ready:
		return nil
	case <-m.stopped:
		return ErrStopped
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// checkCache is the readiness probe. A standby is ready when it can take over.
func (m *Manager) checkCache(*http.Request) error {
	select {
	case <-m.synced:
		return nil
	default:
		return errors.New("the cache has not synced with the API server yet")
	}
}

type standbyRunnable func(context.Context) error

func (s standbyRunnable) Start(ctx context.Context) error { return s(ctx) }

func (standbyRunnable) NeedLeaderElection() bool { return false }

func (m *Manager) markSynced(ctx context.Context) error {
	if m.hasSynced(ctx) {
		close(m.synced)
	}
	return nil
}

// markReady runs when the manager is the leader.
func (m *Manager) markReady(ctx context.Context) error {
	if m.hasSynced(ctx) {
		close(m.ready)
	}
	return nil
}
