package embedded

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/controllers"
)

// controllerManager is the controllers as a component.
type controllerManager struct {
	plane *ControlPlane

	mu      sync.Mutex
	current *controllers.Controllers
}

func (m *controllerManager) start(ctx context.Context) error {
	started, err := controllers.Start(ctx, m.plane.configOf("kube-controller-manager"), controllers.Options{
		Pods: m.plane.opts.Pods, BackOff: m.plane.opts.BackOff, MaxBackOff: m.plane.opts.MaxBackOff,
		RootCA: m.plane.authority.CertificatePEM(),
	})
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.current = started
	return nil
}

// watch reports whether the controllers know the objects of resources, and of all built-in ones.
func (m *controllerManager) watch(resources []schema.GroupResource) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.current != nil && m.current.Watch(resources)
}

func (m *controllerManager) stop(context.Context) error {
	m.current.Stop()
	return nil
}

func (m *controllerManager) kill() { m.current.Stop() }
