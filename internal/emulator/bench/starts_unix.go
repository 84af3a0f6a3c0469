//go:build unix

package bench

import (
	"context"
	"errors"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane/binaries"
)

// bareStarter starts a bare envtest.
func bareStarter(set binaries.Set) starter {
	return func(context.Context) (func(context.Context) error, error) {
		env := &envtest.Environment{}
		env.ControlPlane.GetAPIServer().Path = set.APIServer
		env.ControlPlane.Etcd = &envtest.Etcd{Path: set.Etcd}
		stop := func(context.Context) error { return env.Stop() }
		if _, err := env.Start(); err != nil {
			return nil, errors.Join(fmt.Errorf("start a bare envtest: %w", err), env.Stop())
		}
		return stop, nil
	}
}
