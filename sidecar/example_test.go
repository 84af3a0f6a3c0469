package sidecar_test

import (
	ctrl "sigs.k8s.io/controller-runtime"

	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
)

func Example() {
	ctx := ctrl.SetupSignalHandler()
	s, err := cosisidecar.New(ctx, ctrl.GetConfigOrDie(), cosisidecar.Options{
		Endpoint: "unix:///var/lib/cosi/cosi.sock",
	})
	if err != nil {
		panic(err)
	}
	if err := s.Start(ctx); err != nil {
		panic(err)
	}
}
