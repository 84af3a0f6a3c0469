package loader

import (
	"errors"
	"io/fs"
	"path"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/scenarios/suite"
)

// LoadSuite reads the scenarios that ship with the program, sorted by file, with their paths in
// [suite.FS]. The error has a [document.Problem] for each problem.
func LoadSuite() (*Set, error) {
	var files []string
	for _, pattern := range []string{"*/*.yaml", "v1alpha1/*/*.yaml"} {
		found, err := fs.Glob(suite.FS, pattern)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	loader := spec.Loader{ReadFile: suite.FS.ReadFile}
	set := &Set{}
	var failed []error
	for _, file := range files {
		if path.Base(path.Dir(file)) == "steps" { // lists of steps, which scenarios use
			continue
		}
		scenarios, err := loader.Load(file)
		set.Scenarios, failed = append(set.Scenarios, scenarios...), append(failed, err)
	}
	return set, errors.Join(failed...)
}
