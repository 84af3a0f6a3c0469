package scenarios_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane/selection"
)

func TestMain(m *testing.M) {
	controlplanetest.Prefer(selection.Embedded)
	m.Run()
}
