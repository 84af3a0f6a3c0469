package shrink

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/internal/explore/source"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// tree is a scenario as a YAML tree, from which parts can be removed.
type tree struct {
	file string
	root *yaml.Node
}

func newTree(file string, text []byte) (*tree, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s: %w", file, errors.New("not a scenario"))
	}
	s := &tree{file: file, root: doc.Content[0]}
	steps := source.Field(s.root, "steps")
	if err := include(steps, file, file); err != nil {
		return nil, err
	}
	source.Rewrite(steps)
	return s, nil
}

// descriptiveFields are the fields without effect.
var descriptiveFields = []string{"description", "labels", "proves"}

// dropDescriptions removes fields that do not describe a smaller scenario.
func (t *tree) dropDescriptions() {
	for _, word := range descriptiveFields {
		source.Drop(t.root, word)
	}
}

func (t *tree) text() ([]byte, error) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(t.root); err != nil {
		return nil, err
	}
	return out.Bytes(), encoder.Close()
}

func (t *tree) scenario() (*spec.Scenario, error) {
	text, err := t.text()
	if err != nil {
		return nil, err
	}
	return source.Load(t.file, text)
}

func (t *tree) clone() *tree { return &tree{file: t.file, root: cloneNode(t.root)} }

func cloneNode(n *yaml.Node) *yaml.Node {
	if n == nil {
		return nil
	}
	c := *n
	c.Alias = cloneNode(n.Alias)
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, child := range n.Content {
		c.Content[i] = cloneNode(child)
	}
	return &c
}

func (t *tree) saysNoTimeout() bool {
	return source.Field(source.Field(t.root, "setup"), "timeout") == nil
}

func (t *tree) limitSteps() {
	limit := []*yaml.Node{source.Scalar("timeout"), source.Scalar(source.StepTimeout.String())}
	if setup := source.Field(t.root, "setup"); setup != nil {
		setup.Content = append(setup.Content, limit...)
		return
	}
	setup := &yaml.Node{Kind: yaml.MappingNode, Content: limit}
	at := len(t.root.Content)
	for i := 0; i < at; i += 2 {
		if t.root.Content[i].Value == "steps" {
			at = i
		}
	}
	t.root.Content = slices.Insert(t.root.Content, at, source.Scalar("setup"), setup)
}
