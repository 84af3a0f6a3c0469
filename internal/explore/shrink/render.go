package shrink

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/explore/source"
)

// lineWidth is the maximum length of a line in a rendered scenario.
const lineWidth = 140

// render writes a candidate as a readable scenario file: the finding as comments, the
// faults as the first steps, and nodes that fit in one line as one line.
func (c candidate) render(g cause.Group) ([]byte, error) {
	s := c.tree.clone()
	steps := source.Field(s.root, "steps")
	for _, f := range slices.Backward(c.faults.Faults()) {
		step, err := inject(f.Name, f.Match, f.Effect)
		if err != nil {
			return nil, err
		}
		steps.Content = slices.Insert(steps.Content, 0, step)
		if f.AsOf != "" { // the component acts on the earlier state after the last step
			steps.Content = append(steps.Content, settle())
		}
	}
	if name := source.Field(s.root, "name"); name != nil {
		name.Value = foundName(name.Value, g.Oracle)
	}
	s.root.Content = slices.Clone(s.root.Content)
	if g.Oracle == run.OracleSteps && s.saysNoTimeout() {
		s.limitSteps()
	}
	strip(s.root)
	for i := 1; i < len(s.root.Content); i += 2 {
		if key := s.root.Content[i-1].Value; key == "steps" {
			for _, step := range s.root.Content[i].Content {
				arrangeStep(step)
			}
		} else {
			arrange(s.root.Content[i])
		}
	}
	text, err := s.text()
	if err != nil {
		return nil, err
	}
	head := fmt.Sprintf("# Found by cosi-emu explore, by the oracle %s.\n# Why: %s.\n", g.Oracle, oneLine(g.Why))
	return append([]byte(head), text...), nil
}

// maxName limits the length of a name, so that a suffix fits.
const maxName = 40

func foundName(name, oracle string) string {
	return strings.TrimRight(name[:min(len(name), maxName)], "-") + "-" + oracle
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func inject(name string, parts ...any) (*yaml.Node, error) {
	fields := map[string]any{}
	for _, part := range parts {
		data, err := json.Marshal(part)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(data, &fields); err != nil {
			return nil, err
		}
	}
	if fields["object"] == "Namespace/"+run.Namespace {
		fields["object"] = "Namespace/${ns}"
	}
	for _, duration := range []string{"delay", "down", "for", "retryAfter"} {
		if n, ok := fields[duration].(float64); ok {
			fields[duration] = time.Duration(n).String()
		}
	}
	value := &yaml.Node{Kind: yaml.MappingNode}
	add := func(key string, content any) error {
		var node yaml.Node
		if err := node.Encode(content); err != nil {
			return err
		}
		value.Content = append(value.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, &node)
		return nil
	}
	if err := add("name", name); err != nil {
		return nil, err
	}
	for _, key := range order(fields) {
		if err := add(key, fields[key]); err != nil {
			return nil, err
		}
	}
	return &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: "inject"}, value}}, nil
}

func settle() *yaml.Node {
	verb, nothing := &yaml.Node{Kind: yaml.ScalarNode, Value: "settle"}, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
	return &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{verb, nothing}}
}

// order returns the fields of a match before the fields of an effect.
func order(fields map[string]any) []string {
	first := []string{"seam", "component", "operation", "subject", "nth"}
	var keys []string
	for _, key := range first {
		if _, ok := fields[key]; ok {
			keys = append(keys, key)
		}
	}
	var rest []string
	for key := range fields {
		if !slices.Contains(first, key) {
			rest = append(rest, key)
		}
	}
	slices.Sort(rest)
	return append(keys, rest...)
}

// strip removes comments, which describe the original scenario.
func strip(n *yaml.Node) {
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	for _, child := range n.Content {
		strip(child)
	}
}

// arrangeStep puts each field of a step on its own line.
func arrangeStep(step *yaml.Node) {
	step.Style &^= yaml.FlowStyle
	for i := 1; i < len(step.Content); i += 2 {
		arrange(step.Content[i])
	}
}

// arrange puts a node on one line if it fits, and otherwise arranges its parts.
func arrange(n *yaml.Node) {
	n.Style &^= yaml.FlowStyle
	if n.Kind != yaml.MappingNode && n.Kind != yaml.SequenceNode {
		return
	}
	flow := cloneNode(n)
	allFlow(flow)
	if text, err := yaml.Marshal(flow); err == nil && len(text) < lineWidth {
		allFlow(n)
		return
	}
	for _, child := range n.Content {
		arrange(child)
	}
}

func allFlow(n *yaml.Node) {
	if n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode {
		n.Style |= yaml.FlowStyle
	}
	for _, child := range n.Content {
		allFlow(child)
	}
}
