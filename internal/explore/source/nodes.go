package source

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// Field returns the value of a field of a mapping, or nil.
func Field(n *yaml.Node, name string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

// Value returns the scalar value of a field of a mapping, or "".
func Value(n *yaml.Node, name string) string {
	if found := Field(n, name); found != nil {
		return found.Value
	}
	return ""
}

// Drop removes a field of a mapping.
func Drop(n *yaml.Node, name string) {
	for i := len(n.Content) - 2; i >= 0; i -= 2 {
		if n.Content[i].Value == name {
			n.Content = slices.Delete(n.Content, i, i+2)
		}
	}
}

// Scalar returns a node with a value.
func Scalar(value string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: value} }

// Nested returns the lists of steps in a step.
func Nested(step *yaml.Node) []*yaml.Node {
	lists := []*yaml.Node{
		Field(Field(step, "repeat"), "steps"), Field(Field(step, "forEach"), "steps"), Field(Field(step, "always"), "while"),
	}
	if parallel := Field(step, "parallel"); parallel != nil {
		lists = append(lists, parallel.Content...)
	}
	return slices.DeleteFunc(lists, func(steps *yaml.Node) bool { return steps == nil })
}
