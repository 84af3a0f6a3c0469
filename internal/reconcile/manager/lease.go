package manager

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/leaderelection"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// ErrLeaseTaken is wrapped by the error of Start when another instance has taken this leader's
// Lease.
var ErrLeaseTaken = errors.New("another instance has taken the Lease")

// An elector that cannot renew its Lease retries until its deadline, because it may still hold the
// Lease. But when it reads that another instance holds it, there are two leaders, and this one must
// stop writing at once. So the Manager watches the elector's reads.

// watchElection replaces the lock of the election by one that reports its loss.
func (m *Manager) watchElection(cfg *rest.Config, options manager.Options) (manager.Options, error) {
	if !options.LeaderElection {
		return options, nil
	}
	own := rest.CopyConfig(cfg) // the copy is changed
	lock, err := leaderelection.NewResourceLock(own, lazyRecorders{m}, leaderelection.Options{
		LeaderElection: true, LeaderElectionID: options.LeaderElectionID, LeaderElectionNamespace: options.LeaderElectionNamespace,
		RenewDeadline: ptr.Deref(options.RenewDeadline, time.Duration(0)), LeaderLabels: options.LeaderElectionLabels,
	})
	if err != nil {
		return options, err
	}
	options.LeaderElectionResourceLockInterface = &watchedLock{Interface: lock, lost: sync.OnceFunc(m.loseLease)}
	return options, nil
}

// loseLease stops all runnables and cancels their requests in flight.
func (m *Manager) loseLease() {
	close(m.taken)
	m.stop()
}

// failWhenTaken is a runnable that fails, and with it the manager, when the Lease is taken.
func (m *Manager) failWhenTaken(ctx context.Context) error {
	<-ctx.Done()
	select {
	case <-m.taken:
		return ErrLeaseTaken
	default:
		return nil
	}
}

// watchedLock is the Lease of an election as its elector reads and writes it.
type watchedLock struct {
	resourcelock.Interface

	led  atomic.Bool // the latest write made this instance the leader
	lost func()
}

func (l *watchedLock) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	record, raw, err := l.Interface.Get(ctx)
	if err == nil && l.led.Load() && record.HolderIdentity != "" && record.HolderIdentity != l.Identity() {
		l.lost()
	}
	return record, raw, err
}

func (l *watchedLock) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return l.written(record, l.Interface.Create(ctx, record))
}

func (l *watchedLock) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return l.written(record, l.Interface.Update(ctx, record))
}

func (l *watchedLock) written(record resourcelock.LeaderElectionRecord, err error) error {
	if err == nil {
		l.led.Store(record.HolderIdentity == l.Identity())
	}
	return err
}
