//go:build unix

package envtest

import (
	"context"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

// phase is a step of Start. It requires the phases before it.
type phase struct {
	name string
	run  func(context.Context) error
}

func (c *ControlPlane) phases() []phase {
	phases := []phase{
		{controlplane.Etcd, c.starter(controlplane.Etcd)},
		{controlplane.APIServer, c.startAPIServer},
	}
	if len(c.opts.CRDs) > 0 {
		phases = append(phases, phase{controlplane.PhaseCRDs, c.installCRDs})
	}
	if c.Has(controlplane.ControllerManager) {
		phases = append(phases, phase{controlplane.ControllerManager, c.starter(controlplane.ControllerManager)})
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

func (c *ControlPlane) starter(name string) func(context.Context) error {
	return func(ctx context.Context) error { return c.StartComponent(ctx, name) }
}

func (c *ControlPlane) startAPIServer(ctx context.Context) error {
	if err := c.StartComponent(ctx, controlplane.APIServer); err != nil {
		return err
	}
	return c.issueAdmin()
}

func (c *ControlPlane) installCRDs(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.opts.StartTimeout)
	defer cancel()
	return controlplane.InstallCRDs(ctx, c.admin, c.opts.CRDs)
}
