package spec

import (
	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
)

// IsStepList reports whether a file has a list of steps for others to use, and so no scenario. It
// returns false for an unreadable file, so that loading reports the error.
func IsStepList(data []byte) bool {
	var head struct {
		Kind string `yaml:"kind"`
	}
	return len(data) <= document.MaxBytes && yaml.Unmarshal(data, &head) == nil && head.Kind == KindSteps
}
