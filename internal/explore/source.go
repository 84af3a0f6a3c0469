package explore

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// stepTimeout is the timeout of a step that sets none. A component repeats an operation
// within a second or two of a fault.
const stepTimeout = 5 * time.Second

// load loads the only scenario of a file, rewritten for exploration.
func load(file string, text []byte) (*spec.Scenario, error) {
	written, err := parseOne(spec.Loader{}, file, text)
	if err != nil {
		return nil, err
	}
	if reason := unfit(written); reason != "" {
		return nil, fmt.Errorf("%w: %s cannot be explored: %s", ErrScenario, file, reason)
	}
	empty := false
	rewrite := func(document *yaml.Node) {
		rewriteSteps(field(document, "steps"))
		empty = empty || value(document, "kind") == spec.Kind && len(field(document, "steps").Content) == 0
	}
	s, err := parseOne(spec.Loader{Rewrite: rewrite}, file, text)
	switch {
	case empty:
		return nil, fmt.Errorf("%w: %s has no step that can be explored", ErrOptions, file)
	case err != nil:
		return nil, fmt.Errorf("after removing the steps that exploration skips: %w", err)
	}
	s.Setup.Timeout = spec.Duration(s.Setup.Timeout.Or(spec.Duration(stepTimeout)))
	return s, nil
}

func parseOne(loader spec.Loader, file string, text []byte) (*spec.Scenario, error) {
	all, err := loader.Parse(file, text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrScenario, err)
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("%w: %s has %d scenarios; exploration requires exactly one", ErrOptions, file, len(all))
	}
	return all[0], nil
}

// source is a scenario as a YAML tree, from which parts can be removed.
type source struct {
	file string
	root *yaml.Node
}

func newSource(file string, text []byte) (*source, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s: %w", file, errors.New("not a scenario"))
	}
	s := &source{file: file, root: doc.Content[0]}
	steps := field(s.root, "steps")
	if err := include(steps, file, file); err != nil {
		return nil, err
	}
	rewriteSteps(steps)
	return s, nil
}

func drop(n *yaml.Node, name string) {
	for i := len(n.Content) - 2; i >= 0; i -= 2 {
		if n.Content[i].Value == name {
			n.Content = slices.Delete(n.Content, i, i+2)
		}
	}
}

func scalar(value string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: value} }

// descriptiveFields are the fields without effect.
var descriptiveFields = []string{"description", "labels", "proves"}

// dropDescriptions removes fields that do not describe a smaller scenario.
func (s *source) dropDescriptions() {
	for _, word := range descriptiveFields {
		drop(s.root, word)
	}
}

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

func (s *source) text() ([]byte, error) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(s.root); err != nil {
		return nil, err
	}
	return out.Bytes(), encoder.Close()
}

func (s *source) scenario() (*spec.Scenario, error) {
	text, err := s.text()
	if err != nil {
		return nil, err
	}
	return load(s.file, text)
}

func (s *source) clone() *source { return &source{file: s.file, root: cloneNode(s.root)} }

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

func (s *source) saysNoTimeout() bool { return field(field(s.root, "setup"), "timeout") == nil }

func (s *source) limitSteps() {
	limit := []*yaml.Node{scalar("timeout"), scalar(stepTimeout.String())}
	if setup := field(s.root, "setup"); setup != nil {
		setup.Content = append(setup.Content, limit...)
		return
	}
	setup := &yaml.Node{Kind: yaml.MappingNode, Content: limit}
	at := len(s.root.Content)
	for i := 0; i < at; i += 2 {
		if s.root.Content[i].Value == "steps" {
			at = i
		}
	}
	s.root.Content = slices.Insert(s.root.Content, at, scalar("setup"), setup)
}
