package runner

import (
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/scenarios/document"
)

// isStepList reports whether a file is a list of steps for others to use. One that
// cannot be read is not, so that it is reported.
func isStepList(data []byte) bool {
	var head struct {
		Kind string `yaml:"kind"`
	}
	return len(data) <= document.MaxBytes && yaml.Unmarshal(data, &head) == nil && head.Kind == document.KindSteps
}

// goldenFiles are the files that steps compare with.
func goldenFiles(steps []document.Step) []string {
	var files []string
	for i := range steps {
		step := &steps[i]
		if step.Golden != nil {
			files = append(files, filepath.Join(filepath.Dir(step.Position.File), filepath.FromSlash(step.Golden.File)))
		}
		for _, within := range append(step.Nested(), step.Included) {
			files = append(files, goldenFiles(within)...)
		}
	}
	return files
}
