package v1alpha1_test

import (
	ctrl "sigs.k8s.io/controller-runtime"

	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
	sidecarv1alpha1 "github.com/cosi-emu/cosi-emu/sidecar/v1alpha1"
)

func Example() {
	ctx := ctrl.SetupSignalHandler()
	s, err := sidecarv1alpha1.New(ctx, ctrl.GetConfigOrDie(), cosisidecar.Options{
		Endpoint: "unix:///var/lib/cosi/cosi.sock",
	})
	if err != nil {
		panic(err)
	}
	if err := s.Start(ctx); err != nil {
		panic(err)
	}
}
