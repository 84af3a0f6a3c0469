package sidecar_test

import (
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/cosi-emu/cosi-emu/sidecar"
)

func Example() {
	ctx := ctrl.SetupSignalHandler()
	s, err := sidecar.New(ctx, ctrl.GetConfigOrDie(), sidecar.Options{
		Endpoint: "unix:///var/lib/cosi/cosi.sock",
	})
	if err != nil {
		panic(err)
	}
	if err := s.Start(ctx); err != nil {
		panic(err)
	}
}
