package shrink

import (
	"iter"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/internal/explore/source"
)

// withoutObject yields candidates that lack one applied object and everything that depends
// on it, the last object first. Then it yields candidates that lack all steps of a verb.
func (c candidate) withoutObject() iter.Seq[candidate] {
	return func(yield func(candidate) bool) {
		for _, object := range slices.Backward(c.tree.applied()) {
			if reduced := c.tree.clone(); reduced.removeObject(object) && !yield(candidate{reduced, c.faults}) {
				return
			}
		}
		for _, verb := range c.tree.repeatedVerbs() {
			reduced := c.tree.clone()
			steps := source.Field(reduced.root, "steps")
			steps.Content = slices.DeleteFunc(steps.Content, func(step *yaml.Node) bool { return source.Field(step, verb) != nil })
			if len(steps.Content) > 0 && !yield(candidate{reduced, c.faults}) {
				return
			}
		}
	}
}

func (t *tree) applied() []*yaml.Node {
	var all []*yaml.Node
	steps := source.Field(t.root, "steps")
	if steps == nil {
		return nil
	}
	for _, step := range steps.Content {
		switch apply := source.Field(step, "apply"); {
		case apply == nil:
		case apply.Kind == yaml.SequenceNode:
			all = append(all, apply.Content...)
		default:
			all = append(all, apply)
		}
	}
	return all
}

// repeatedVerbs returns the verbs of several steps, except apply and the verbs that wait.
func (t *tree) repeatedVerbs() []string {
	times := map[string]int{}
	var verbs []string
	steps := source.Field(t.root, "steps")
	if steps == nil {
		return nil
	}
	for _, step := range steps.Content {
		if len(step.Content) == 0 {
			continue
		}
		verb := step.Content[0].Value
		times[verb]++
		if times[verb] == 2 && verb != "apply" && !isWaitStep(step) {
			verbs = append(verbs, verb)
		}
	}
	return verbs
}

// removeObject removes everything about an object and its dependents. It returns false if nothing
// remains.
func (t *tree) removeObject(object *yaml.Node) bool {
	steps := source.Field(t.root, "steps")
	name := source.Field(source.Field(object, "metadata"), "name")
	if name == nil {
		return false
	}
	gone := map[string]bool{name.Value: true}
	for before := 0; before < len(gone); {
		before = len(gone)
		for _, other := range t.applied() {
			if mentions(other, gone) {
				for word := range namesIn(other) {
					gone[word] = true
				}
			}
		}
	}
	removeMentions(steps, gone)
	return len(steps.Content) > 0
}

// namesIn yields the name of an object, and the names of the Secrets created for it.
func namesIn(object *yaml.Node) iter.Seq[string] {
	return func(yield func(string) bool) {
		name := source.Field(source.Field(object, "metadata"), "name")
		if name != nil && !yield(name.Value) {
			return
		}
		if claims := source.Field(source.Field(object, "spec"), "bucketClaims"); claims != nil {
			for _, claim := range claims.Content {
				if secret := source.Field(claim, "accessSecretName"); secret != nil && !yield(secret.Value) {
					return
				}
			}
		}
	}
}

func mentions(n *yaml.Node, words map[string]bool) bool {
	if n.Kind == yaml.ScalarNode {
		return slices.ContainsFunc(strings.Split(n.Value, "/"), func(word string) bool { return words[word] })
	}
	return slices.ContainsFunc(n.Content, func(child *yaml.Node) bool { return mentions(child, words) })
}

// removeMentions removes the smallest parts with one of the words from a list: items of
// lists, and expectations of one object. It also removes steps that become empty.
func removeMentions(list *yaml.Node, words map[string]bool) {
	list.Content = slices.DeleteFunc(list.Content, func(item *yaml.Node) bool {
		if !mentions(item, words) {
			return false
		}
		inner := innerOf(item)
		switch {
		case inner == nil:
			return true
		case inner.Kind == yaml.SequenceNode:
			removeMentions(inner, words)
		default:
			for i := len(inner.Content) - 2; i >= 0; i -= 2 {
				if mentions(inner.Content[i], words) || mentions(inner.Content[i+1], words) {
					inner.Content = slices.Delete(inner.Content, i, i+2)
				}
			}
		}
		return len(inner.Content) == 0
	})
}

// innerOf returns the list, or the mapping by object, in a step; nil if there is none.
func innerOf(step *yaml.Node) *yaml.Node {
	for _, verb := range []string{"apply", "delete", "expect"} {
		inner := source.Field(step, verb)
		if inner != nil && (inner.Kind == yaml.SequenceNode || verb == "expect" && inner.Kind == yaml.MappingNode) {
			return inner
		}
	}
	return nil
}
