package conformance_test

import (
	"context"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	"github.com/cosi-emu/cosi-emu/scenarios"
)

// TestDesignInSuite: IDs that are new for each driver belong to the scenario that caused them.
func TestDesignInSuite(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a control plane")
	}
	runSuiteOver(t, designs()["random IDs"], dialects.KEP, objectstorage.V1alpha2,
		"access/*key*.yaml", "deletion/bucket-of-*.yaml", "steady/*.yaml")
}

// TestLongDesignsInSuite: no scenario of the suite fails over a driver that is right in another legal way.
// A scenario whose requirements only the fake driver meets has the label fake-driver.
func TestLongDesignsInSuite(t *testing.T) {
	for name, d := range designs() {
		for _, generation := range d.generations {
			t.Run(name+"/"+string(generation), func(t *testing.T) { runSuiteOver(t, d, generation, objectstorage.V1alpha2, "*/*.yaml") })
			if generation == dialects.V1alpha1 {
				t.Run(name+"/without a bridge", func(t *testing.T) { runSuiteOver(t, d, generation, objectstorage.V1alpha1, "v1alpha1/*/*.yaml") })
			}
		}
	}
}

// patience is for machines that run other tests, too.
const patience = 6

// runSuiteOver runs the scenarios of the files that match one of the patterns.
func runSuiteOver(t *testing.T, d design, dialect dialects.Dialect, api objectstorage.Version, patterns ...string) {
	t.Helper()
	options := d.options
	options.Dialect, options.ServiceAccounts = dialect, true
	driver := serve(t, setup{options: options, behaviour: d.behaviour, service: d.service, parameters: d.parameters, socket: true})
	parameters := driver.config().Parameters
	emu, err := emulator.Start(t.Context(), emulator.Options{
		ControlPlaneKind: emulator.ControlPlaneEmbedded, API: api, Strict: true,
		Driver: driver.endpoint, BucketParameters: parameters.Bucket, AccessParameters: parameters.Access,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := emu.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	for _, pattern := range patterns {
		scenarios.Run(t, "../scenarios/suite/"+pattern, scenarios.On(emu), scenarios.Patience(patience))
	}
	t.Cleanup(func() {
		if left := driver.leftovers(); len(left) > 0 {
			t.Errorf("the backend has leftovers: %v", left)
		}
	})
}
