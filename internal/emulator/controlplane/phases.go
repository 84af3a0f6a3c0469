package controlplane

import (
	"context"
	"time"
)

// phase is a step of Start. It requires the phases before it.
type phase struct {
	name string
	run  func(context.Context) error
}

func (c *ControlPlane) phases() []phase {
	phases := []phase{
		{Etcd, c.starter(Etcd)},
		{APIServer, c.startAPIServer},
	}
	if len(c.opts.CRDs) > 0 {
		phases = append(phases, phase{PhaseCRDs, c.installCRDs})
	}
	if c.component(ControllerManager) != nil {
		phases = append(phases, phase{ControllerManager, c.starter(ControllerManager)})
	}
	return phases
}

func (c *ControlPlane) runPhase(ctx context.Context, p phase) error {
	began := time.Now()
	c.opts.Phase(Phase{Name: p.name})
	err := p.run(ctx)
	c.opts.Phase(Phase{Name: p.name, Done: true, Err: err, Elapsed: time.Since(began)})
	return err
}

func (c *ControlPlane) starter(name string) func(context.Context) error {
	return func(ctx context.Context) error { return c.StartComponent(ctx, name) }
}

func (c *ControlPlane) startAPIServer(ctx context.Context) error {
	if err := c.StartComponent(ctx, APIServer); err != nil {
		return err
	}
	return c.issueAdmin()
}

func (c *ControlPlane) installCRDs(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.opts.StartTimeout)
	defer cancel()
	return InstallCRDs(ctx, c.admin, c.opts.CRDs)
}
