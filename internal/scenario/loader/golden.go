package loader

import (
	"path/filepath"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
)

type goldenFile struct {
	path string
	step document.Position
}

func goldenFiles(steps []spec.Step) []goldenFile {
	var files []goldenFile
	for i := range steps {
		step := &steps[i]
		if step.Golden != nil && step.Golden.File != "" {
			file := filepath.Join(filepath.Dir(step.Position.File), filepath.FromSlash(step.Golden.File))
			files = append(files, goldenFile{file, step.Position})
		}
		for _, within := range step.Within() {
			files = append(files, goldenFiles(within)...)
		}
	}
	return files
}
