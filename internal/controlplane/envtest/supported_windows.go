package envtest

import (
	"context"
	"errors"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

var errUnsupported = errors.New("kube-apiserver and etcd do not run on Windows, which has no process groups to end them with: " +
	"choose control plane \"embedded\", or run this program under WSL")

// Supported returns the reason for which this package has no control plane on Windows.
func Supported() error { return errUnsupported }

// Start returns the error of [Supported].
func Start(context.Context, controlplane.Options) (controlplane.ControlPlane, error) {
	return nil, errUnsupported
}

// EndOrphans does nothing on Windows.
func EndOrphans(context.Context, string) error { return nil }
