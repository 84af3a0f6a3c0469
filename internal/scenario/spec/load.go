package spec

import (
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
)

// MaxSteps is the maximum number of steps of a scenario, with included ones counted each time.
const MaxSteps = 10_000

// Loader reads files.
type Loader struct {
	// ReadFile reads a file by its slash-separated path. Default: [document.ReadFile].
	ReadFile func(name string) ([]byte, error)
	// Rewrite changes each document, a scenario's or one of kind [KindSteps], before it is decoded.
	// The positions in the file stay. Default: no change.
	Rewrite func(root *yaml.Node)
}

// Load reads the scenarios of a file, and the files that these use. The error has a [document.Problem] for
// every mistake in them.
func (l Loader) Load(file string) ([]*Scenario, error) {
	l = l.withDefaults()
	data, err := l.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the scenario: %w", err)
	}
	return l.Parse(file, data)
}

// Build is Load for a document without a file. The function returns the position of each of its
// nodes, for problems and reports.
func (l Loader) Build(root *yaml.Node, at func(*yaml.Node) document.Position) (*Scenario, error) {
	s, err := l.withDefaults().scenario(&decoder{place: at}, root)
	if text, failed := yaml.Marshal(root); failed == nil { // otherwise it cannot be recorded
		s.Sources = append([]Source{{s.Name + ".yaml", string(text)}}, s.Sources...)
	}
	return s, err
}

// Parse is Load for a file's content.
func (l Loader) Parse(file string, data []byte) ([]*Scenario, error) {
	l = l.withDefaults()
	nodes, err := document.Parse(file, data)
	if err != nil {
		return nil, err
	}
	if len(nodes) == 0 {
		return nil, &document.Problem{
			Position: document.Position{File: file, Line: 1, Column: 1},
			Message:  "the file has no scenario: it must begin with apiVersion: " + APIVersion,
		}
	}
	var all []*Scenario
	var failed []error
	for _, n := range nodes {
		l.Rewrite(n)
		s, err := l.scenario(&decoder{file: file}, n)
		s.Sources = append([]Source{{file, string(data)}}, s.Sources...)
		all, failed = append(all, s), append(failed, err)
	}
	return all, errors.Join(failed...)
}

func (l Loader) withDefaults() Loader {
	if l.ReadFile == nil {
		l.ReadFile = document.ReadFile
	}
	if l.Rewrite == nil {
		l.Rewrite = func(*yaml.Node) {}
	}
	return l
}

func (l Loader) scenario(d *decoder, n *yaml.Node) (*Scenario, error) {
	s := &Scenario{Position: d.at(n)}
	if version := apiVersionOf(n); version != "" && version != APIVersion {
		d.otherAPIVersion(n, version)
		return s, d.err() // further problems would only follow from this one
	}
	d.value(n, reflect.ValueOf(s).Elem())
	d.head(n, s.APIVersion, s.Kind, Kind)
	budget := MaxSteps
	read := l.ReadFile
	l.ReadFile = func(name string) ([]byte, error) {
		data, err := read(name)
		source := Source{name, string(data)}
		if err == nil && !slices.Contains(s.Sources, source) {
			s.Sources = append(s.Sources, source)
		}
		return data, err
	}
	broken := len(d.failed)
	l.include(d, s.Steps, []string{path.Clean(s.Position.File)}, &budget)
	if s.Kind == Kind || s.Kind == "" && len(s.Steps) > 0 {
		d.validate(n, s, len(d.failed) > broken)
	}
	return s, d.err()
}

// apiVersionOf returns the apiVersion of a document; empty if unknown.
func apiVersionOf(n *yaml.Node) string {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "apiVersion" {
			return n.Content[i+1].Value
		}
	}
	return ""
}

// otherAPIVersion explains what to do with a document that has another apiVersion, such as a manifest.
func (d *decoder) otherAPIVersion(n *yaml.Node, apiVersion string) {
	advice := ""
	switch group, _, _ := strings.Cut(apiVersion, "/"); {
	case apiVersion == v1alpha2.SchemeGroupVersion.String():
		advice = "; for a manifest, 'cosi-emu convert -f FILE' rewrites fields of an earlier draft, and the verb apply creates its objects"
	case group == v1alpha2.GroupName:
		advice = "; for a manifest, 'cosi-emu migrate -f FILE' prints objects of v1alpha2, and the verb apply creates its objects"
	case apiVersion != "" && group != "cosi-emu":
		advice = "; the verb apply of a scenario creates the objects of a manifest"
	}
	d.problem(n, "apiVersion is %q, must be %s%s", apiVersion, APIVersion, advice)
}

// head checks the first fields of a document.
func (d *decoder) head(n *yaml.Node, apiVersion, kind, wanted string) {
	if n.Kind != yaml.MappingNode {
		return // which is reported already
	}
	if apiVersion != APIVersion {
		d.otherAPIVersion(n, apiVersion)
	}
	if kind != wanted {
		d.problem(n, "kind is %q, must be %s", kind, wanted)
	}
}

// steps is a file for Use.
type steps struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	Steps      []Step `yaml:"steps"`
}

// include reads the files that steps use. The budget is the remaining part of MaxSteps.
func (l Loader) include(d *decoder, all []Step, chain []string, budget *int) {
	for i := range all {
		*budget--
		if *budget < 0 {
			if *budget == -1 {
				d.fail(all[i].Position, "the scenario has more than %d steps", MaxSteps)
			}
			return
		}
		step := &all[i]
		for _, nested := range step.Nested() {
			l.include(d, nested, chain, budget)
		}
		if step.Verb == "use" && !step.Broken {
			l.use(d, step, chain, budget)
		}
	}
}

func (l Loader) use(d *decoder, step *Step, chain []string, budget *int) {
	file := path.Join(path.Dir(step.Position.File), step.Use)
	fail := func(message string) { d.fail(step.Position, "%s", message) }
	if slices.Contains(chain, file) {
		fail("the files use each other in a circle: " + strings.Join(append(chain, file), " uses "))
		return
	}
	data, err := l.ReadFile(file)
	if err != nil {
		fail("the steps cannot be read: " + err.Error())
		return
	}
	nodes, err := document.Parse(file, data)
	if err != nil {
		d.failed = append(d.failed, err)
		return
	}
	if len(nodes) != 1 {
		fail(fmt.Sprintf("%s has %d documents, must have exactly one of kind %s", file, len(nodes), KindSteps))
		return
	}
	l.Rewrite(nodes[0])
	inner := &decoder{file: file}
	var included steps
	inner.value(nodes[0], reflect.ValueOf(&included).Elem())
	inner.head(nodes[0], included.APIVersion, included.Kind, KindSteps)
	d.failed = append(d.failed, inner.failed...)
	step.Included = included.Steps
	l.include(d, step.Included, append(slices.Clone(chain), file), budget)
}

// Nested returns the lists of steps within a step, except included ones.
func (s *Step) Nested() [][]Step {
	switch {
	case s.Repeat != nil:
		return [][]Step{s.Repeat.Steps}
	case s.ForEach != nil:
		return [][]Step{s.ForEach.Steps}
	case s.Always != nil:
		return [][]Step{s.Always.While}
	}
	return s.Parallel
}

// Within returns the lists of steps within a step, with included ones.
func (s *Step) Within() [][]Step { return slices.Concat(s.Nested(), [][]Step{s.Included}) }
