package spec

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
	"github.com/cosi-emu/cosi-emu/internal/suggest"
)

// Object is an object as it is sent to the API server, with templates still in its strings.
type Object struct {
	Position document.Position
	Value    Value
}

// Kind returns the kind of the object.
func (o *Object) Kind() string { return o.Value.text("kind") }

// Objects is one object, or a list of them.
type Objects []Object

func (o *Objects) decode(d *decoder, n *yaml.Node) {
	items := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		items = n.Content
	}
	for _, item := range items {
		object := Object{Position: d.at(item)}
		object.Value.decode(d, item)
		if item.Kind != yaml.MappingNode || object.Kind() == "" {
			d.problem(item, "an object requires a kind, such as BucketClaim")
		} else if kind := object.Kind(); !d.known(&object.Value, kind) {
			d.problem(item, "unknown kind %s: %s; other kinds require an apiVersion", kind, suggest.From(kind, kindNames()))
		} else if metadata := object.Value.Field("metadata"); metadata == nil || metadata.text("name") == "" {
			d.problem(item, "an object requires a metadata.name")
		}
		*o = append(*o, object)
	}
}

func (d *decoder) known(object *Value, kind string) bool {
	return isKindNamed(kind) || object.Field("apiVersion") != nil || strings.Contains(kind, "${")
}

// Reference names an object: KIND/NAME, in the scenario's namespace if the kind has one, or
// KIND/NAMESPACE/NAME.
type Reference struct {
	Position document.Position
	Kind     string
	Name     Text
}

var reference = regexp.MustCompile(`^([A-Z][A-Za-z0-9]+)/(\S+)$`)

func (d *decoder) reference(n *yaml.Node) Reference {
	found := reference.FindStringSubmatch(n.Value)
	if n.Kind != yaml.ScalarNode || found == nil {
		d.problem(n, "%q must name an object as KIND/NAME, such as BucketClaim/photos", n.Value)
		return Reference{Position: d.at(n)}
	}
	if !isKindNamed(found[1]) {
		d.problem(n, "unknown kind %s: %s", found[1], suggest.From(found[1], kindNames()))
	}
	return Reference{Position: d.at(n), Kind: found[1], Name: d.text(n, found[2])}
}

// References is one reference, or a list of them.
type References []Reference

func (r *References) decode(d *decoder, n *yaml.Node) {
	for _, item := range oneOrMany(n) {
		*r = append(*r, d.reference(item))
	}
}

// Names is one name, or a list of them.
type Names []Text

func (names *Names) decode(d *decoder, n *yaml.Node) {
	for _, item := range oneOrMany(n) {
		if item.Kind != yaml.ScalarNode || strings.TrimSpace(item.Value) == "" {
			d.problem(item, "must be a name")
			continue
		}
		*names = append(*names, d.text(item, item.Value))
	}
}

func oneOrMany(n *yaml.Node) []*yaml.Node {
	switch {
	case n.Kind == yaml.SequenceNode:
		return n.Content
	case document.IsNull(n):
		return nil
	}
	return []*yaml.Node{n}
}

// Patch changes parts of objects.
type Patch []Change

// Change is a change of one object: a JSON merge patch, in which null removes a field.
type Change struct {
	Object Reference
	Merge  Value
}

func (p *Patch) decode(d *decoder, n *yaml.Node) {
	d.pairs(n, func(key, value *yaml.Node) {
		change := Change{Object: d.reference(key)}
		change.Merge.decode(d, value)
		*p = append(*p, change)
	})
}

// Expectations are patterns of objects.
type Expectations []Expectation

// Expectation is the pattern of one object.
type Expectation struct {
	Object  Reference
	Pattern Pattern
}

func (e *Expectations) decode(d *decoder, n *yaml.Node) {
	d.expecting = true
	defer func() { d.expecting = false }()
	d.pairs(n, func(key, value *yaml.Node) {
		expectation := Expectation{Object: d.reference(key)}
		expectation.Pattern.decode(d, value)
		*e = append(*e, expectation)
	})
}

// Always are expectations throughout a time, or while steps run.
type Always struct {
	Objects Expectations `yaml:"objects" doc:"patterns of objects"`
	For     Duration     `yaml:"for" doc:"duration"`
	While   []Step       `yaml:"while" doc:"steps that run meanwhile"`
}

// Golden compares objects with a file, except for values that differ between runs.
type Golden struct {
	File    string     `yaml:"file" required:"true" doc:"path of the golden file, relative to the scenario"`
	Objects References `yaml:"objects" required:"true" doc:"KIND/NAME"`
	Exclude []string   `yaml:"exclude" doc:"fields that are left out, such as status.conditions; managedFields always are"`
}

// Logs waits for the output of a container.
type Logs struct {
	Pod       Text     `yaml:"pod" required:"true" doc:"name of the Pod, in the scenario's namespace"`
	Container Text     `yaml:"container" doc:"name of the container; default: the first"`
	Previous  bool     `yaml:"previous" doc:"the output of the run before the last restart"`
	Text      *Pattern `yaml:"text" required:"true" doc:"expected output, without its last line break"`
}
