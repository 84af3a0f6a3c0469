// Package suite is the scenarios that ship with cosi-emu: every control flow of the
// KEP, every failure that is known from elsewhere, and what drivers and components
// may do wrong. It exists as a package so that the program has them with it, and so
// that `go test` runs them all.
package suite

import (
	"embed"
	"errors"
	"io/fs"
	"path"

	"github.com/cosi-emu/cosi-emu/internal/scenarios/spec"
)

// FS has the files of the suite: AREA/NAME.yaml is the scenario NAME, and the folder
// steps has the lists of steps that scenarios use.
//
//go:embed */*.yaml
var FS embed.FS

// stepsFolder has no scenarios.
const stepsFolder = "steps"

// Load reads all scenarios, sorted by their files. Their positions have the paths in
// FS. The error has a [document.Problem] for everything that is wrong in them.
func Load() ([]*spec.Scenario, error) {
	files, err := fs.Glob(FS, "*/*.yaml")
	if err != nil {
		return nil, err
	}
	loader := spec.Loader{ReadFile: FS.ReadFile}
	var all []*spec.Scenario
	var failed []error
	for _, file := range files {
		if path.Dir(file) == stepsFolder {
			continue
		}
		scenarios, err := loader.Load(file)
		all, failed = append(all, scenarios...), append(failed, err)
	}
	return all, errors.Join(failed...)
}
