// Package embedded runs a Kubernetes control plane in this process: the libraries of
// kube-apiserver, with the objects in memory, and controllers of our own. It needs no
// programs, and starts in a fraction of a second.
//
// It has the custom resources of the real API server, and the built-in kinds that COSI
// and its users touch. Other built-in kinds are not found.
package embedded

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/certs"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/components"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/apiserver"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/token"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/liblog"
	"github.com/cosi-emu/cosi-emu/internal/tcpport"
)

// ControlPlane is a running control plane in this process.
type ControlPlane struct {
	components.Set[*component]

	opts    controlplane.Options
	lock    *flock.Flock
	address string // for clients
	bind    string // of the socket
	ports   tcpport.Reservations

	authority *certs.Authority
	issuer    *token.Issuer
	objects   *objects
	local     apiserver.Local
	manager   *controllerManager // nil without controllers

	admin      *rest.Config
	kubeconfig []byte
	failed     chan error

	endLog func() // ends the lines of the libraries in the log

	stopOnce sync.Once
	stopErr  error
}

var _ controlplane.ControlPlane = &ControlPlane{}

// Start starts a control plane, and returns when its API server is ready. The controllers
// may start later; see WaitReady. If Start fails, nothing is left running. The error is a
// *tcpport.Error or a *controlplane.StartError, or concerns the directory. The
// context limits only Start: the control plane runs until Stop.
func Start(ctx context.Context, opts controlplane.Options) (*ControlPlane, error) {
	opts, err := opts.WithDefaults()
	if err != nil {
		return nil, err
	}
	if opts.APIServerPort != 0 {
		if err := controlplane.CheckPort(ctx, opts.Listen.Bind(), opts.APIServerPort); err != nil {
			return nil, err
		}
	}
	c := &ControlPlane{opts: opts, failed: make(chan error, 1)}
	c.StartTimeout, c.StopGrace = opts.StartTimeout, opts.StopGrace
	if err := c.start(ctx); err != nil {
		stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		return nil, errors.Join(err, c.Stop(stopCtx))
	}
	return c, nil
}

func (c *ControlPlane) start(ctx context.Context) (err error) {
	if c.lock, err = controlplane.Claim(c.opts.Dir, c.opts.KeepData); err != nil {
		return err
	}
	if err := os.Chmod(c.opts.Dir, 0o700); err != nil { //nolint:gosec // a directory
		return err
	}
	if err := os.MkdirAll(filepath.Dir(c.logFile()), 0o700); err != nil {
		return err
	}
	if c.objects, err = openObjects(c.opts); err != nil {
		return err
	}
	if err := c.identify(ctx); err != nil {
		return err
	}
	c.assemble()
	c.endLog = liblog.AddFile(c.logFile())
	for _, p := range c.phases() {
		if err := c.runPhase(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// identify makes the address, the certificates and the keys, which stay when components
// restart.
func (c *ControlPlane) identify(ctx context.Context) error {
	var err error
	port := c.opts.APIServerPort
	if port == 0 {
		if port, err = c.ports.Reserve(ctx, c.opts.Listen.Bind()); err != nil {
			return err
		}
	}
	c.address = net.JoinHostPort(c.opts.Listen.Host(), strconv.Itoa(port))
	c.bind = net.JoinHostPort(c.opts.Listen.Bind(), strconv.Itoa(port))
	if c.authority, err = certs.New(c.opts.Listen.Beyond()...); err != nil {
		return err
	}
	if c.issuer, err = token.NewIssuer("https://" + c.address + "/"); err != nil {
		return err
	}
	if c.admin, err = c.UserConfig(controlplane.AdminUser, controlplane.AdminGroup); err != nil {
		return err
	}
	c.kubeconfig, err = controlplane.NewKubeconfig(c.admin)
	return err
}

// assemble creates the components, without starting them.
func (c *ControlPlane) assemble() {
	c.InOrder = []*component{
		{name: controlplane.Etcd, part: c.objects},
		{name: controlplane.APIServer, part: &server{plane: c}},
	}
	if !c.opts.NoControllers {
		c.manager = &controllerManager{plane: c}
		c.InOrder = append(c.InOrder, &component{name: controlplane.ControllerManager, part: c.manager})
	}
	for _, component := range c.InOrder {
		component.log = c.logFile()
	}
}

// phase is a step of Start. It requires the phases before it.
type phase struct {
	name string
	run  func(context.Context) error
}

// The names of the phases, apart from controlplane.PhaseCRDs. No program of these names runs, so the
// phases do not have the names of the components.
const (
	phaseAPIServer   = "embedded API server"
	phaseControllers = "embedded controllers"
)

func (c *ControlPlane) phases() []phase {
	phases := []phase{{phaseAPIServer, func(ctx context.Context) error {
		if err := c.StartComponent(ctx, controlplane.Etcd); err != nil {
			return err
		}
		return c.StartComponent(ctx, controlplane.APIServer)
	}}}
	if len(c.opts.CRDs) > 0 {
		phases = append(phases, phase{controlplane.PhaseCRDs, c.installCRDs})
	}
	if c.manager != nil {
		phases = append(phases, phase{phaseControllers, func(ctx context.Context) error {
			return c.StartComponent(ctx, controlplane.ControllerManager)
		}})
	}
	return phases
}

func (c *ControlPlane) runPhase(ctx context.Context, p phase) error {
	began := time.Now()
	c.opts.Phase(controlplane.Phase{Name: p.name})
	err := p.run(ctx)
	c.opts.Phase(controlplane.Phase{Name: p.name, Done: true, Err: err, Elapsed: time.Since(began)})
	return err
}

func (c *ControlPlane) installCRDs(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.opts.StartTimeout)
	defer cancel()
	return controlplane.InstallCRDs(ctx, c.InProcessConfig(controlplane.AdminUser, controlplane.AdminGroup), c.opts.CRDs)
}

// WaitReady returns when the controllers have created the default ServiceAccount of
// namespace default, and watch all resources; without controllers, immediately. It fails when ctx ends.
func (c *ControlPlane) WaitReady(ctx context.Context) error {
	if c.opts.NoControllers {
		return nil
	}
	if err := controlplane.WaitControllers(ctx, c.InProcessConfig(controlplane.AdminUser, controlplane.AdminGroup)); err != nil {
		return err
	}
	return c.waitWatches(ctx)
}

// watchesInterval is how often waitWatches asks, which needs no request.
const watchesInterval = 5 * time.Millisecond

// waitWatches returns when the controllers know the objects of the built-in kinds and of all
// Options.CRDs, so that they collect them. It is not for a control plane whose controllers are stopped meanwhile: ctx ends that wait.
func (c *ControlPlane) waitWatches(ctx context.Context) error {
	var custom []schema.GroupResource
	for _, d := range c.opts.CRDs {
		custom = append(custom, schema.GroupResource{Group: d.Spec.Group, Resource: d.Spec.Names.Plural})
	}
	return wait.PollUntilContextCancel(ctx, watchesInterval, true, func(context.Context) (bool, error) {
		return c.manager.watch(custom), nil
	})
}

// Stop stops the components, waits for them, and removes what Options.KeepData does not
// keep. Further calls return the result of the first.
func (c *ControlPlane) Stop(ctx context.Context) error {
	c.stopOnce.Do(func() { c.stopErr = c.stop(ctx) })
	return c.stopErr
}

// stop also undoes a start that failed halfway, so that any part may be missing.
func (c *ControlPlane) stop(ctx context.Context) error {
	if c.lock == nil {
		return nil
	}
	err := errors.Join(c.stopComponents(ctx), c.ports.Close())
	if c.endLog != nil {
		c.endLog()
	}
	if c.objects != nil {
		c.objects.store.Close()
	}
	if !c.opts.KeepData {
		err = errors.Join(err, os.RemoveAll(c.opts.Dir))
	}
	return errors.Join(err, c.lock.Unlock())
}

// logFile returns the log of all components.
func (c *ControlPlane) logFile() string {
	return filepath.Join(c.opts.Dir, "logs", "control-plane.log")
}
