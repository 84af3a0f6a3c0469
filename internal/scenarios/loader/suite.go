package loader

import (
	"errors"
	"io/fs"
	"path"

	"github.com/cosi-emu/cosi-emu/internal/scenarios/spec"
	"github.com/cosi-emu/cosi-emu/scenarios/suite"
)

// LoadSuite reads the scenarios that ship with the program, sorted by their files, whose
// paths are those in [suite.FS]. The error has a [spec.Problem] for each problem.
func LoadSuite() (*Set, error) {
	files, err := fs.Glob(suite.FS, "*/*.yaml")
	if err != nil {
		return nil, err
	}
	loader := spec.Loader{ReadFile: suite.FS.ReadFile}
	set := &Set{}
	var failed []error
	for _, file := range files {
		if path.Dir(file) == "steps" { // lists of steps, which scenarios use
			continue
		}
		scenarios, err := loader.Load(file)
		set.Scenarios, failed = append(set.Scenarios, scenarios...), append(failed, err)
	}
	return set, errors.Join(failed...)
}
