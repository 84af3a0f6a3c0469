package embedded

import (
	"context"

	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane/embedded/controllers"
)

// controllerManager is the controllers as a component.
type controllerManager struct {
	plane   *ControlPlane
	current *controllers.Controllers
}

func (m *controllerManager) start(ctx context.Context) (err error) {
	m.current, err = controllers.Start(ctx, m.plane.configOf("kube-controller-manager"))
	return err
}

func (m *controllerManager) stop(context.Context) error {
	m.current.Stop()
	return nil
}

func (m *controllerManager) kill() { m.current.Stop() }
