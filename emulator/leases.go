package emulator

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
)

// Durations of leader election in the emulator's own control plane. A leader renews often, so that
// it soon notices another holder, and the Lease is long, so that a busy machine does not lose it.
const (
	leaseDuration = 15 * time.Second
	renewDeadline = 12 * time.Second
	retryPeriod   = 200 * time.Millisecond
)

// OtherHolder is the holder of a Lease that a component has lost.
const OtherHolder = vocabulary.OtherHolder

const leaseTimeout = 10 * time.Second

func (o Options) leaderElectionEnabled() bool { return o.LeaderElection || o.Cluster != nil }

func (o Options) withLeaderElection(opts cosisidecar.Options) cosisidecar.Options {
	if !o.LeaderElection {
		return opts
	}
	opts.LeaderElection, opts.LeaderElectionNamespace = true, deploy.Namespace
	opts.LeaseDuration, opts.RenewDeadline, opts.RetryPeriod = leaseDuration, renewDeadline, retryPeriod
	return opts
}

func (o Options) withControllerLeaderElection(opts cosicontroller.Options) cosicontroller.Options {
	opts.LeaderElection, opts.LeaderElectionNamespace = o.leaderElectionEnabled(), deploy.Namespace
	if o.LeaderElection {
		opts.LeaseDuration, opts.RenewDeadline, opts.RetryPeriod = leaseDuration, renewDeadline, retryPeriod
	}
	return opts
}

// takeLease makes another holder acquire the Lease of a controller or a sidecar, for a time in
// whole seconds. The component exits when it notices, is restarted as by a kubelet, and is ready
// when it has the Lease again.
func (e *Emulator) takeLease(ctx context.Context, component string, lasts time.Duration, by string) error {
	if lasts < time.Second || lasts > fault.MaxLease {
		return fmt.Errorf("take the Lease of %s: %w: it is for %s, and must be for some seconds, up to %s",
			component, ErrOptions, lasts, fault.MaxLease)
	}
	c := e.component(component)
	if c == nil {
		return fmt.Errorf("take the Lease of %s: %w: unknown component", component, ErrOptions)
	}
	var err error
	c.own.Excuse(func(number int) {
		err = e.writeOtherHolder(ctx, component, lasts)
		event := e.journal.Begin(component, number, journal.SeamProcess, journal.Operation{Name: journal.StepLoseLease})
		event.Outcome, event.Fault = journal.OutcomeOK, by
		if err != nil {
			event.Outcome, event.Message = "Error", err.Error()
		}
		e.journal.Append(event)
	})
	return err
}

// writeOtherHolder writes the Lease of a component without checking its holder.
func (e *Emulator) writeOtherHolder(ctx context.Context, component string, lasts time.Duration) error {
	name, err := e.leaseOf(component)
	if err != nil {
		return err
	}
	now := metav1.NowMicro()
	seconds := int32(lasts / time.Second) //nolint:gosec // at most a day's
	patch, err := json.Marshal(map[string]any{"spec": coordinationv1.LeaseSpec{
		HolderIdentity: new(OtherHolder), LeaseDurationSeconds: &seconds, AcquireTime: &now, RenewTime: &now,
	}})
	if err != nil {
		return err
	}
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: deploy.Namespace, Name: name}}
	if err := e.client.Patch(ctx, lease, client.RawPatch("application/merge-patch+json", patch)); err != nil {
		return fmt.Errorf("take Lease %s/%s from %s: %w", lease.Namespace, name, component, err)
	}
	return nil
}

func (e *Emulator) leaseOf(component string) (string, error) {
	if !e.opts.leaderElectionEnabled() {
		return "", fmt.Errorf("%w: %s has no Lease, because leader election is disabled in this emulator; start it with Options.LeaderElection",
			ErrOptions, component)
	}
	if component == ComponentController {
		return cosicontroller.LeaseName, nil
	}
	if driver, ok := e.servedBy()[component]; ok && IsSidecar(component) {
		return cosisidecar.LeaseName(driver), nil
	}
	return "", fmt.Errorf("%w: %s has no Lease: only the controller and sidecars have", ErrOptions, component)
}

func (e *Emulator) leaseLost(component string, by *fault.Applied) {
	ctx, cancel := context.WithTimeout(context.Background(), leaseTimeout)
	defer cancel()
	_ = e.takeLease(ctx, component, by.Effect.LoseLease, by.Name) // the journal records an error
}
