//go:build unix

package envtest

import (
	"context"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

// WaitReady returns when the controllers have created the default ServiceAccount of
// namespace default; without a controller manager, immediately. It fails when ctx ends
// or a component fails.
func (c *ControlPlane) WaitReady(ctx context.Context) error {
	if !c.Has(controlplane.ControllerManager) {
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	//nolint:contextcheck // the other context tells of failures
	defer context.AfterFunc(c.monitor.alive, func() { cancel(context.Cause(c.monitor.alive)) })()
	return controlplane.WaitControllers(ctx, c.AdminConfig())
}
