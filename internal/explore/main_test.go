package explore

import (
	"os"
	"testing"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	leaks.Main(m)
}

func embedded() emulator.Options {
	return emulator.Options{ControlPlaneKind: emulator.ControlPlaneEmbedded}
}

func text(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
