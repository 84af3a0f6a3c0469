package v1alpha1_test

import (
	ctrl "sigs.k8s.io/controller-runtime"

	controllerv1alpha1 "github.com/cosi-emu/cosi-emu/controller/v1alpha1"
)

func Example() {
	ctx := ctrl.SetupSignalHandler()
	c, err := controllerv1alpha1.New(ctrl.GetConfigOrDie(), controllerv1alpha1.Options{
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
