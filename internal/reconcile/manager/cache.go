package manager

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Watch makes the cache watch those kinds from the start, so that a standby is ready to take over,
// and WaitReady waits for them. It fails if the API server does not serve them in the version of
// the component.
func (m *Manager) Watch(ctx context.Context, kinds ...client.Object) error {
	if err := m.CheckServed(kinds...); err != nil {
		return err
	}
	for _, kind := range kinds {
		if _, err := m.GetCache().GetInformer(ctx, kind, cache.BlockUntilSynced(false)); err != nil {
			return fmt.Errorf("watch %T: %w", kind, err)
		}
	}
	return nil
}
