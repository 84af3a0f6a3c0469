package drafts

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// Change is a field that Rewrite has rewritten, or cannot rewrite.
type Change struct {
	// Line is the line in the document.
	Line int
	// Text names the object and the field, and describes the change.
	Text string
}

// Rewrite rewrites the objects of a YAML document for a draft: an object, or a List of objects. It
// does not change objects of other versions, and fields of both drafts. It returns the changes, and
// the fields that the draft cannot express.
func Rewrite(document *yaml.Node, to Draft) (changes, failures []Change) {
	r := &rewriter{to: to}
	r.object(resolve(document))
	return r.changes, r.failures
}

type rewriter struct {
	to                Draft
	name              string // of the current object
	changes, failures []Change
}

// resolve returns the node of a document or an alias.
func resolve(n *yaml.Node) *yaml.Node {
	for n != nil && (n.Kind == yaml.AliasNode || n.Kind == yaml.DocumentNode) {
		switch {
		case n.Kind == yaml.AliasNode:
			n = n.Alias
		case len(n.Content) == 0:
			return nil
		default:
			n = n.Content[0]
		}
	}
	return n
}

// field returns the position of a key of a mapping in its Content, or -1.
func field(n *yaml.Node, name string) int {
	if n == nil || n.Kind != yaml.MappingNode {
		return -1
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return i
		}
	}
	return -1
}

func value(n *yaml.Node, path ...string) *yaml.Node {
	for _, name := range path {
		i := field(n, name)
		if i < 0 {
			return nil
		}
		n = resolve(n.Content[i+1])
	}
	return n
}

func text(n *yaml.Node, path ...string) string {
	if n = value(n, path...); n != nil && n.Kind == yaml.ScalarNode {
		return n.Value
	}
	return ""
}

func (r *rewriter) object(n *yaml.Node) {
	if items := value(n, "items"); items != nil && items.Kind == yaml.SequenceNode && strings.HasSuffix(text(n, "kind"), "List") {
		for _, item := range items.Content {
			r.object(resolve(item))
		}
		return
	}
	if text(n, "apiVersion") != v1alpha2.SchemeGroupVersion.String() {
		return
	}
	kind, spec := text(n, "kind"), value(n, "spec")
	r.name = kind + " " + strings.TrimPrefix(text(n, "metadata", "namespace")+"/"+text(n, "metadata", "name"), "/")
	switch kind {
	case kindAccess:
		claims := value(spec, fieldClaims)
		if claims == nil || claims.Kind != yaml.SequenceNode {
			return
		}
		for i, claim := range claims.Content {
			r.modes(resolve(claim), fmt.Sprintf("spec.%s[%d].", fieldClaims, i))
		}
	case kindAccessClass:
		r.disallowed(spec)
	}
}

func (r *rewriter) modes(claim *yaml.Node, path string) {
	one, all := field(claim, fieldMode), field(claim, fieldModes)
	switch {
	case one >= 0 && all >= 0:
		r.fail(claim.Content[one], path+fieldMode, "there is also "+fieldModes+"; remove one of them")
	case one >= 0 && r.to == KEP:
		key, mode := claim.Content[one], claim.Content[one+1]
		if resolve(mode).Kind != yaml.ScalarNode {
			r.fail(key, path+fieldMode, "it must be one mode")
			return
		}
		key.Value, claim.Content[one+1] = fieldModes, byCategory(mode)
		r.change(key, path+fieldMode, fieldModes+"."+objectData)
	case all >= 0 && r.to == OneMode:
		key := claim.Content[all]
		mode, err := sameInAll(resolve(claim.Content[all+1]))
		if err != nil {
			r.fail(key, path+fieldModes, err.Error())
			return
		}
		key.Value, claim.Content[all+1] = fieldMode, mode
		r.change(key, path+fieldModes, fieldMode)
	}
}

// disallowed rewrites the disallowed modes of a BucketAccessClass.
func (r *rewriter) disallowed(spec *yaml.Node) {
	i := field(spec, fieldDisallowed)
	if i < 0 {
		return
	}
	key, modes := spec.Content[i], resolve(spec.Content[i+1])
	switch {
	case modes.Kind == yaml.SequenceNode && r.to == KEP:
		spec.Content[i+1] = byCategory(spec.Content[i+1])
		r.change(key, "spec."+fieldDisallowed, fieldDisallowed+"."+objectData)
	case modes.Kind == yaml.MappingNode && r.to == OneMode:
		list, err := sameInAll(modes)
		if err != nil {
			r.fail(key, "spec."+fieldDisallowed, err.Error())
			return
		}
		spec.Content[i+1] = list
		r.change(key, "spec."+fieldDisallowed+"."+objectData, fieldDisallowed)
	}
}

// byCategory returns the value under the key of the object data.
func byCategory(value *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{
		{Kind: yaml.ScalarNode, Tag: "!!str", Value: objectData}, value,
	}}
}

// sameInAll returns the value of the object data, if the other categories have none or the same.
func sameInAll(byCategory *yaml.Node) (*yaml.Node, error) {
	data := value(byCategory, objectData)
	if data == nil {
		return nil, errors.New("it has no " + objectData + ", and the draft has the modes of the object data only")
	}
	for i := 0; i+1 < len(byCategory.Content); i += 2 {
		category := byCategory.Content[i].Value
		switch other := resolve(byCategory.Content[i+1]); {
		case !slices.Contains(categories, category):
			return nil, fmt.Errorf("unknown category %q; the categories are %s", category, strings.Join(categories, ", "))
		case !slices.Equal(words(other), words(data)):
			return nil, fmt.Errorf("%s differs from %s, and the draft has one for all; make them equal, or leave %s out",
				category, objectData, category)
		}
	}
	return byCategory.Content[field(byCategory, objectData)+1], nil
}

// words returns a text, or the texts of a list, sorted.
func words(n *yaml.Node) []string {
	if n.Kind != yaml.SequenceNode {
		return []string{n.Value}
	}
	var all []string
	for _, item := range n.Content {
		all = append(all, resolve(item).Value)
	}
	slices.Sort(all)
	return all
}

func (r *rewriter) change(at *yaml.Node, from, to string) {
	r.changes = append(r.changes, Change{at.Line, fmt.Sprintf("%s: %s is now %s", r.name, from, to)})
}

func (r *rewriter) fail(at *yaml.Node, field, problem string) {
	r.failures = append(r.failures, Change{at.Line, fmt.Sprintf("%s: %s cannot be converted to %s: %s", r.name, field, r.to, problem)})
}
