package controller_test

import (
	ctrl "sigs.k8s.io/controller-runtime"

	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
)

func Example() {
	ctx := ctrl.SetupSignalHandler()
	c, err := cosicontroller.New(ctrl.GetConfigOrDie(), cosicontroller.Options{
		LeaderElection:          true,
		LeaderElectionNamespace: "cosi-system",
	})
	if err != nil {
		panic(err)
	}
	if err := c.Start(ctx); err != nil {
		panic(err)
	}
}
