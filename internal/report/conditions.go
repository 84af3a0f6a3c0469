package report

import (
	"fmt"

	"sigs.k8s.io/yaml"
)

// conditions returns a line for each condition of an object, because conditions explain its state
// best.
func conditions(object string) []string {
	var parsed struct {
		Status struct {
			Conditions []struct{ Type, Status, Reason, Message string } `json:"conditions"`
		} `json:"status"`
	}
	if yaml.Unmarshal([]byte(object), &parsed) != nil {
		return nil // not an object
	}
	var lines []string
	for _, c := range parsed.Status.Conditions {
		line := fmt.Sprintf("condition %s=%s %s", c.Type, c.Status, c.Reason)
		if c.Message != "" {
			line += ": " + c.Message
		}
		lines = append(lines, line)
	}
	return lines
}
