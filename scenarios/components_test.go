package scenarios_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"

	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/scenarios"
)

// TestBuiltIn: a controller of the user's own may have other words than the emulator's, and no other status.
func TestBuiltIn(t *testing.T) {
	own := func(cfg *rest.Config, logger logr.Logger) (emulator.Runner, error) {
		return cosicontroller.New(cfg, cosicontroller.Options{Logger: logger})
	}
	for name, tc := range map[string]struct {
		options emulator.Options
		status  string
		want    string
	}{
		"emulator's":   {emulator.Options{}, "Unknown", "Test/words failed"},
		"own":          {emulator.Options{Implementations: emulator.Implementations{Controller: own}}, "Unknown", "Test/words passed"},
		"wrong status": {emulator.Options{Implementations: emulator.Implementations{Controller: own}}, "\"False\"", "Test/words failed"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "words.yaml")
			if err := os.WriteFile(file, []byte(`apiVersion: cosi-emu/v1alpha1
kind: Scenario
name: words
steps:
- apply: {kind: BucketClaim, metadata: {name: a}, spec: {bucketClassName: none, protocols: [S3]}}
- expect: {BucketClaim/a: {status: {conditions: [{type: ResourcesValidated, status: `+tc.status+`, reason: {builtIn: NoSuchClass}}]}}}
  timeout: 5s
`), 0o600); err != nil {
				t.Fatal(err)
			}
			emu := emulatortest.Start(t, tc.options)
			got := record("Test", func(r *recorder) { scenarios.Run(r, file, scenarios.On(emu)) })
			if diff := cmp.Diff([]string{tc.want}, got.outcomes()); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
