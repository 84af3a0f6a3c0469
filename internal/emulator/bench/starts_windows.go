package bench

import (
	"context"

	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane/binaries"
	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane/envtest"
)

// bareStarter starts nothing, and says why.
func bareStarter(binaries.Set) starter {
	return func(context.Context) (func(context.Context) error, error) { return nil, envtest.Supported() }
}
