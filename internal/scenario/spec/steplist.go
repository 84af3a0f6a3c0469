package spec

import "go.yaml.in/yaml/v3"

// IsStepList reports whether a file has a list of steps for others to use, and so no
// scenario. One that cannot be read has none, so that loading it says why.
func IsStepList(data []byte) bool {
	var head struct {
		Kind string `yaml:"kind"`
	}
	return len(data) <= MaxBytes && yaml.Unmarshal(data, &head) == nil && head.Kind == KindSteps
}
