package oracle_test

import (
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"

	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/oracle"
)

func TestMyController(t *testing.T) {
	emu := emulatortest.Start(t, emulator.Options{Implementations: emulator.Implementations{
		Controller: func(cfg *rest.Config, _ logr.Logger) (emulator.Runner, error) {
			return cosicontroller.New(cfg, cosicontroller.Options{}) // or your own
		},
	}})
	oracle.Watch(t, emu)
	claim := emulatortest.Claim(t, emu, emulatortest.Namespace(t), "photos")
	if err := emu.Client().Delete(t.Context(), claim); err != nil {
		t.Fatal(err)
	}
}
