package scenarios_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/scenarios"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestBuiltIn: what a controller of the user's own need not do is not compared.
func TestBuiltIn(t *testing.T) {
	own := emulator.Implementations{Controller: func(*rest.Config, logr.Logger) (emulator.Runner, error) { return harness.Inactive{}, nil }}
	for name, tc := range map[string]struct {
		options emulator.Options
		data    string
		want    string
	}{
		"emulator's":      {emulator.Options{}, "{a: {builtIn: y}}", "Test/data failed"},
		"own":             {emulator.Options{Implementations: own}, "{a: {builtIn: y}}", "Test/data passed"},
		"what it must do": {emulator.Options{Implementations: own}, "{a: {builtIn: y}, b: y}", "Test/data failed"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "data.yaml")
			if err := os.WriteFile(file, []byte(`apiVersion: cosi-emu/v1alpha1
kind: Scenario
name: data
steps:
- apply: {kind: ConfigMap, metadata: {name: a}, data: {a: x, b: x}}
- expect: {ConfigMap/a: {data: `+tc.data+`}}
  timeout: 1s
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
