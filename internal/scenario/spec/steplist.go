package spec

import "go.yaml.in/yaml/v3"

// IsStepList reports whether a file has a list of steps for others to use, and so no scenario. It
// returns false for an unreadable file, so that loading reports the error.
func IsStepList(data []byte) bool {
	var head struct {
		Kind string `yaml:"kind"`
	}
	return len(data) <= MaxBytes && yaml.Unmarshal(data, &head) == nil && head.Kind == KindSteps
}
