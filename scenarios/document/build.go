package document

import "go.yaml.in/yaml/v3"

// Build is Load for a document that does not stand in a file. The function tells
// where each of its nodes comes from, for problems and reports.
func (l Loader) Build(root *yaml.Node, at func(*yaml.Node) Position) (*Scenario, error) {
	return l.withDefaults().scenario(&decoder{place: at}, root)
}
