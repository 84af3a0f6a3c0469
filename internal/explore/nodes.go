package explore

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

func field(n *yaml.Node, name string) *yaml.Node {
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

func value(n *yaml.Node, name string) string {
	if found := field(n, name); found != nil {
		return found.Value
	}
	return ""
}

func drop(n *yaml.Node, name string) {
	for i := len(n.Content) - 2; i >= 0; i -= 2 {
		if n.Content[i].Value == name {
			n.Content = slices.Delete(n.Content, i, i+2)
		}
	}
}

func scalar(value string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: value} }

func nested(step *yaml.Node) []*yaml.Node {
	lists := []*yaml.Node{
		field(field(step, "repeat"), "steps"), field(field(step, "forEach"), "steps"), field(field(step, "always"), "while"),
	}
	if parallel := field(step, "parallel"); parallel != nil {
		lists = append(lists, parallel.Content...)
	}
	return slices.DeleteFunc(lists, func(steps *yaml.Node) bool { return steps == nil })
}
