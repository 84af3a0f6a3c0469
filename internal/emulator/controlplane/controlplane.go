package controlplane

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane/binaries"
)

// ControlPlane is a running control plane.
type ControlPlane struct {
	opts     Options
	files    layout
	lock     *flock.Flock
	watchdog *watchdog
	reserved []*reservation

	apiServer       *apiServer
	components      []*component // in the order of their start
	admin           *rest.Config
	adminKubeconfig []byte

	monitor *monitor

	stopOnce sync.Once
	stopErr  error
}

// Start starts a control plane, and returns when its API server is ready. The
// controllers may start later; see WaitReady. If Start fails, nothing is left running.
// The error is a *PortError or a *StartError, or concerns the directory or a program.
// The context limits only Start: the control plane runs until Stop, or until this
// process ends.
func Start(ctx context.Context, opts Options) (*ControlPlane, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := opts.check(ctx); err != nil {
		return nil, err
	}
	c := &ControlPlane{opts: opts, files: newLayout(opts.Dir)}
	if err := c.start(ctx); err != nil {
		stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		return nil, errors.Join(err, c.Stop(stopCtx))
	}
	return c, nil
}

// check rejects invalid options before anything starts.
func (o Options) check(ctx context.Context) error {
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
	return CheckPort(ctx, o.APIServerPort)
}

func (c *ControlPlane) start(ctx context.Context) (err error) {
	if c.lock, err = c.files.claim(ctx, c.opts.KeepData); err != nil {
		return err
	}
	if c.watchdog, err = startWatchdog(c.files, c.opts.KeepData); err != nil { //nolint:contextcheck // it outlives the start
		return err
	}
	if err := c.assemble(ctx); err != nil {
		return err
	}
	c.monitor = startMonitor(c.components)
	for _, p := range c.phases() {
		if err := c.runPhase(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// assemble creates the components, without starting them.
func (c *ControlPlane) assemble(ctx context.Context) error {
	healthPort, err := c.reservePort(ctx)
	if err != nil {
		return err
	}
	port := c.opts.APIServerPort
	if port == 0 {
		if port, err = c.reservePort(ctx); err != nil {
			return err
		}
	}
	etcd := newEtcd(c.files, healthPort, c.opts)
	if c.apiServer, err = newAPIServer(c.files, port, c.opts.StartTimeout); err != nil {
		return err
	}
	set := c.opts.Binaries
	err = errors.Join(c.add(Etcd, set.Etcd, etcd), c.add(APIServer, set.APIServer, c.apiServer))
	if set.ControllerManager != "" {
		err = errors.Join(err, c.add(ControllerManager, set.ControllerManager, newControllerManager(c.files, c.apiServer)))
	}
	return err
}

// reservePort returns a free port that is the control plane's until it has stopped.
func (c *ControlPlane) reservePort(ctx context.Context) (int, error) {
	r, err := reservePort(ctx)
	if err != nil {
		return 0, err
	}
	c.reserved = append(c.reserved, r)
	return r.port, nil
}

func (c *ControlPlane) add(name, path string, p program) error {
	c.components = append(c.components, &component{name: name, files: c.files, program: p})
	if err := c.files.writeLauncher(name, path, c.opts); err != nil {
		return fmt.Errorf("write the launcher of %s: %w", name, err)
	}
	return nil
}
