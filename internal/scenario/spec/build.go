package spec

import "go.yaml.in/yaml/v3"

// Build is Load for a document without a file. The function returns the position of each of its
// nodes, for problems and reports.
func (l Loader) Build(root *yaml.Node, at func(*yaml.Node) Position) (*Scenario, error) {
	s, err := l.withDefaults().scenario(&decoder{place: at}, root)
	if text, failed := yaml.Marshal(root); failed == nil { // otherwise it cannot be recorded
		s.Sources = append([]Source{{s.Name + ".yaml", string(text)}}, s.Sources...)
	}
	return s, err
}
