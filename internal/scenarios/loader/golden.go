package loader

import (
	"path/filepath"

	"github.com/cosi-emu/cosi-emu/internal/scenarios/spec"
)

// goldenFiles are the files that steps compare with.
func goldenFiles(steps []spec.Step) []string {
	var files []string
	for i := range steps {
		step := &steps[i]
		if step.Golden != nil {
			files = append(files, filepath.Join(filepath.Dir(step.Position.File), filepath.FromSlash(step.Golden.File)))
		}
		for _, within := range step.Within() {
			files = append(files, goldenFiles(within)...)
		}
	}
	return files
}
