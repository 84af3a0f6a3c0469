package shrink

import (
	"iter"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/explore/source"
)

// candidate is a scenario with faults, tried while shrinking.
type candidate struct {
	tree   *tree
	faults plan.Case
}

var requiredFields = []string{"apiVersion", "kind", "name", "steps"}

// smaller yields candidates that each lack one part: a fault, an object, steps or a field.
// Large parts go first. Among equal parts the last goes first, because later steps
// require earlier ones.
func (c candidate) smaller() iter.Seq[candidate] {
	return func(yield func(candidate) bool) {
		for _, some := range []iter.Seq[candidate]{c.withoutFault(), c.withoutObject(), c.withoutSteps(), c.withoutField(), c.withLooserFault()} {
			for reduced := range some {
				if !yield(reduced) {
					return
				}
			}
		}
	}
}

func (c candidate) withoutFault() iter.Seq[candidate] {
	return func(yield func(candidate) bool) {
		for i := range c.faults {
			to := i + 1
			for to < len(c.faults) && c.faults[to].Follows {
				to++ // it has no meaning without the trial that it follows
			}
			left := slices.Delete(slices.Clone(c.faults), i, to)
			if len(left) > 0 && left.Complete() && !yield(candidate{c.tree, left}) {
				return
			}
		}
	}
}

// withoutSteps yields candidates that lack several steps: first those with only the first
// n steps, then those without a half, a quarter and so on.
func (c candidate) withoutSteps() iter.Seq[candidate] {
	return func(yield func(candidate) bool) {
		steps := source.Field(c.tree.root, "steps")
		if steps == nil {
			return
		}
		without := func(from, to int) bool {
			if to < len(steps.Content) && isWait(steps.Content, from) {
				return true // the awaited steps would stay
			}
			reduced := c.tree.clone()
			steps := source.Field(reduced.root, "steps")
			steps.Content = slices.Delete(steps.Content, from, to)
			return yield(candidate{reduced, c.faults})
		}
		all := len(steps.Content)
		for n := 1; n < all; n++ {
			if !without(n, all) {
				return
			}
		}
		for n := all / 2; n > 1; n /= 2 {
			for from := all - n; from >= 0; from -= n {
				if !without(from, from+n) {
					return
				}
			}
		}
	}
}

// withoutField yields candidates that lack one step, or one field in a step.
func (c candidate) withoutField() iter.Seq[candidate] {
	return func(yield func(candidate) bool) {
		for _, path := range c.tree.paths() {
			if c.tree.isRequired(path) || c.tree.waitsAt(path) {
				continue
			}
			if reduced := c.tree.clone(); reduced.cut(path) && !yield(candidate{reduced, c.faults}) {
				return
			}
		}
	}
}

// withLooserFault yields candidates whose faults match more operations.
func (c candidate) withLooserFault() iter.Seq[candidate] {
	return func(yield func(candidate) bool) {
		for i, t := range c.faults {
			changes := []plan.Trial{t, t}
			changes[0].Point.Subject, changes[0].Point.Nth = "", min(1, t.Point.Nth)
			changes[1].Point.Nth = min(1, t.Point.Nth)
			for _, changed := range changes {
				if changed.Point == t.Point {
					continue
				}
				faults := slices.Clone(c.faults)
				faults[i] = changed
				if !yield(candidate{c.tree, faults}) {
					return
				}
			}
		}
	}
}

// path locates a node by the index in the contents of each node on the way.
type path []int

// paths returns the paths of all nodes that can be removed, shallow before deep, and late
// before early.
func (t *tree) paths() []path {
	var all []path
	level := []path{{}}
	for len(level) > 0 {
		var next []path
		for _, p := range slices.Backward(level) {
			n := t.at(p)
			for i := range n.Content {
				if n.Kind == yaml.MappingNode && i%2 == 0 {
					continue // a key goes with its value
				}
				next = append(next, append(slices.Clone(p), i))
			}
		}
		for _, p := range slices.Backward(next) {
			all = append(all, p)
		}
		slices.SortStableFunc(next, slices.Compare[path])
		level = next
	}
	return all
}

func (t *tree) at(p path) *yaml.Node {
	n := t.root
	for _, i := range p {
		n = n.Content[i]
	}
	return n
}

// identity reports whether a field identifies an object. Without it, the API server rejects
// the object.
func identity(parent *yaml.Node, key string) bool {
	return source.Field(parent, "kind") != nil && (key == "kind" || key == "metadata")
}

// cut removes the node at a path, or sets a count to 1. It returns false if it cannot.
func (t *tree) cut(p path) bool {
	parent, i := t.at(p[:len(p)-1]), p[len(p)-1]
	if parent.Kind != yaml.MappingNode {
		parent.Content = slices.Delete(parent.Content, i, i+1)
		return len(parent.Content) > 0
	}
	key, value := parent.Content[i-1], parent.Content[i]
	if times, err := strconv.Atoi(value.Value); key.Value == "times" && err == nil {
		value.Value = "1"
		return times > 1
	}
	if len(p) == 1 && slices.Contains(requiredFields, key.Value) || identity(parent, key.Value) {
		return false
	}
	parent.Content = slices.Delete(parent.Content, i-1, i+1)
	return len(parent.Content) > 0
}
