package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
)

// Builder builds a scenario in code. Each method adds a step, except those that change the previous
// step: Named, Within, As, When and Rejected. The result is the same document as a file. Validate
// and Run check it in the same way.
type Builder struct {
	root   *yaml.Node
	setup  *yaml.Node
	allow  *yaml.Node
	steps  *yaml.Node
	places map[*yaml.Node]document.Position
	failed []error
}

// New begins a scenario. The name is a DNS label.
func New(name string) *Builder {
	b := newBuilder()
	b.root = mapping(pair{"apiVersion", text(spec.APIVersion)}, pair{"kind", text(spec.Kind)}, pair{"name", text(name)})
	b.place(b.root, caller())
	return b
}

// Steps begins a list of steps for Parallel, Repeat, ForEach and AlwaysWhile.
func Steps() *Builder { return newBuilder() }

func newBuilder() *Builder {
	return &Builder{
		setup: mapping(), allow: &yaml.Node{Kind: yaml.SequenceNode}, steps: &yaml.Node{Kind: yaml.SequenceNode},
		places: map[*yaml.Node]document.Position{},
	}
}

// caller returns the position in a test that called a method of this package. The file has no
// directory: files that a scenario names are relative to the test's directory, in which go test
// runs it.
func caller() document.Position {
	_, file, line, _ := runtime.Caller(2)
	return document.Position{File: filepath.Base(file), Line: line}
}

// place remembers the position of nodes, unless it is already known.
func (b *Builder) place(n *yaml.Node, at document.Position) {
	if _, known := b.places[n]; known {
		return
	}
	b.places[n] = at
	for _, content := range n.Content {
		b.place(content, at)
	}
}

func (b *Builder) step(at document.Position, verb string, argument any) *Builder {
	n, err := node(argument)
	if err != nil {
		b.failed = append(b.failed, &document.Problem{Position: at, Message: verb + ": " + err.Error()})
		return b
	}
	step := mapping(pair{verb, n})
	b.place(step, at)
	b.steps.Content = append(b.steps.Content, step)
	return b
}

// about sets a field of the previous step.
func (b *Builder) about(at document.Position, field string, value *yaml.Node) *Builder {
	if len(b.steps.Content) == 0 {
		b.failed = append(b.failed, &document.Problem{Position: at, Message: field + " applies to a step, and there is none before it"})
		return b
	}
	step := b.steps.Content[len(b.steps.Content)-1]
	key := text(field)
	b.place(key, at)
	b.place(value, at)
	step.Content = append(step.Content, key, value)
	return b
}

// Named gives the previous step a name, for reports.
func (b *Builder) Named(name string) *Builder { return b.about(caller(), "name", text(name)) }

// Within sets the timeout of the previous step, instead of 10 seconds.
func (b *Builder) Within(timeout time.Duration) *Builder {
	return b.about(caller(), "timeout", text(duration(timeout)))
}

// As binds the result of the previous step to a name for later steps: ${name}.
func (b *Builder) As(name string) *Builder { return b.about(caller(), "as", text(name)) }

// When skips the previous step if a CEL expression is false.
func (b *Builder) When(expression string) *Builder {
	return b.about(caller(), "when", text(expression))
}

// Rejected expects the API server to reject the request of the previous step, with a
// message that contains these words.
func (b *Builder) Rejected(words string) *Builder { return b.about(caller(), "rejected", text(words)) }

// Validate returns all problems of the scenario, each with the file and the line of the
// call that causes it.
func (b *Builder) Validate() error {
	_, err := b.build()
	return err
}

func (b *Builder) build() (*spec.Scenario, error) {
	if b.root == nil {
		return nil, problems([]error{errors.New("a step list is not a scenario: start with New")})
	}
	if len(b.failed) > 0 {
		return nil, problems(b.failed)
	}
	s, err := spec.Loader{}.Build(b.document(), func(n *yaml.Node) document.Position {
		if at, known := b.places[n]; known {
			return at
		}
		return b.places[b.root]
	})
	if err != nil {
		return nil, problems([]error{err})
	}
	return s, nil
}

// document returns the YAML of the scenario.
func (b *Builder) document() *yaml.Node {
	whole := *b.root
	for _, part := range []pair{{"setup", b.setup}, {"allow", b.allow}, {"steps", b.steps}} {
		if len(part.value.Content) > 0 {
			whole.Content = append(slices.Clip(whole.Content), text(part.key), part.value)
		}
	}
	return &whole
}

// YAML returns the scenario as a file for `cosi-emu run`. The error is Validate's.
func (b *Builder) YAML() ([]byte, error) {
	if err := b.Validate(); err != nil {
		return nil, err
	}
	var file bytes.Buffer
	encoder := yaml.NewEncoder(&file)
	encoder.SetIndent(indent)
	if err := errors.Join(encoder.Encode(plain(b.document())), encoder.Close()); err != nil {
		return nil, err
	}
	return file.Bytes(), nil
}

// indent is the indentation of the scenarios that ship.
const indent = 2

// plain returns a copy with quotes only where YAML needs them.
func plain(n *yaml.Node) *yaml.Node {
	c := *n
	c.Style, c.Content = 0, make([]*yaml.Node, len(n.Content))
	for i, content := range n.Content {
		c.Content[i] = plain(content)
	}
	return &c
}

// Run runs the scenario as the test t. It may be called several times.
func (b *Builder) Run(t T, options ...Option) {
	t.Helper()
	s, err := b.build()
	if err != nil {
		t.Fatalf("%v", fmt.Errorf("%s: %w", t.Name(), err))
		return
	}
	open(t, options, s.API()).play(t, s)
}

// Forgetting makes the components that the previous step crashes or restarts start without their
// data: an empty store, a fake driver without its buckets and accounts.
func (b *Builder) Forgetting() *Builder {
	return b.about(caller(), "forget", scalar("!!bool", "true"))
}
