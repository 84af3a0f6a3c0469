package startup

import (
	"context"
	"fmt"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/adminapi"
	"github.com/cosi-emu/cosi-emu/internal/session"
	"github.com/cosi-emu/cosi-emu/internal/ui"
)

// newPage returns a function that starts the page of an emulator.
func newPage(name, version string) session.NewPage {
	return func(ctx context.Context, emu *emulator.Emulator, faults adminapi.Faults) (session.Page, error) {
		page, err := ui.Start(ctx, ui.Options{Emulator: emu, Faults: faults, Name: name, Version: version})
		if err != nil {
			return nil, fmt.Errorf("serve the page of emulator %q: %w", name, err)
		}
		return page, nil
	}
}
