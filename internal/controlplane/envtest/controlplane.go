//go:build unix

package envtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/components"
	"github.com/cosi-emu/cosi-emu/internal/tcpport"
)

// ControlPlane is a running control plane of programs.
type ControlPlane struct {
	components.Set[*component]

	opts     controlplane.Options
	files    layout
	lock     *flock.Flock
	watchdog *watchdog
	ports    tcpport.Reservations

	apiServer       *apiServer
	admin           *rest.Config
	adminKubeconfig []byte

	monitor *monitor

	stopOnce sync.Once
	stopErr  error
}

var _ controlplane.ControlPlane = &ControlPlane{}

// Start starts a control plane, and returns when its API server is ready. The controllers may start
// later; see WaitReady. If Start fails, nothing is left running. The error is a
// *tcpport.Error or a *controlplane.StartError, or concerns the directory or a program.
// The context limits only Start: the control plane runs until Stop, or until this process ends.
func Start(ctx context.Context, opts controlplane.Options) (*ControlPlane, error) {
	opts, err := opts.WithDefaults()
	if err != nil {
		return nil, err
	}
	if err := check(ctx, opts); err != nil {
		return nil, err
	}
	c := &ControlPlane{opts: opts, files: newLayout(opts.Dir)}
	c.StartTimeout, c.StopGrace = opts.StartTimeout, opts.StopGrace
	if err := c.start(ctx); err != nil {
		stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		return nil, errors.Join(err, c.Stop(stopCtx))
	}
	return c, nil
}

// check rejects invalid options before anything starts.
func check(ctx context.Context, o controlplane.Options) error {
	programs := []string{o.Binaries.Etcd, o.Binaries.APIServer}
	if o.Binaries.ControllerManager != "" {
		programs = append(programs, o.Binaries.ControllerManager)
	}
	for _, path := range programs {
		if err := binaries.CheckProgram(path); err != nil {
			return err
		}
	}
	if o.APIServerPort == 0 {
		return nil
	}
	return controlplane.CheckPort(ctx, o.Listen.Bind(), o.APIServerPort)
}

func (c *ControlPlane) start(ctx context.Context) (err error) {
	if c.lock, err = c.files.claim(ctx, c.opts.KeepData); err != nil {
		return err
	}
	if c.opts.Data != "" {
		if err := c.files.adopt(c.opts.Data); err != nil {
			return fmt.Errorf("take over the data of %s: %w", c.opts.Data, err)
		}
	}
	if c.watchdog, err = startWatchdog(c.files, c.opts.KeepData); err != nil { //nolint:contextcheck // it outlives the start
		return err
	}
	if err := c.assemble(ctx); err != nil {
		return err
	}
	c.monitor = startMonitor(c.InOrder)
	for _, p := range c.phases() {
		if err := c.runPhase(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// assemble creates the components, without starting them.
func (c *ControlPlane) assemble(ctx context.Context) error {
	healthPort, err := c.ports.Reserve(ctx, tcpport.Loopback)
	if err != nil {
		return err
	}
	port := c.opts.APIServerPort
	if port == 0 {
		if port, err = c.ports.Reserve(ctx, c.opts.Listen.Bind()); err != nil {
			return err
		}
	}
	etcd := newEtcd(c.files, healthPort, c.opts)
	if c.apiServer, err = newAPIServer(c.files, port, c.opts); err != nil {
		return err
	}
	set := c.opts.Binaries
	err = errors.Join(c.add(controlplane.Etcd, set.Etcd, etcd), c.add(controlplane.APIServer, set.APIServer, c.apiServer))
	if set.ControllerManager != "" && !c.opts.NoControllers {
		manager := newControllerManager(c.files, c.apiServer, c.opts.Pods)
		err = errors.Join(err, c.add(controlplane.ControllerManager, set.ControllerManager, manager))
	}
	return err
}

func (c *ControlPlane) add(name, path string, p program) error {
	c.InOrder = append(c.InOrder, &component{name: name, files: c.files, program: p})
	if err := c.files.writeLauncher(name, path, c.opts); err != nil {
		return fmt.Errorf("write the launcher of %s: %w", name, err)
	}
	return nil
}
