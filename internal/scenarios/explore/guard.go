package explore

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// waits are the verbs of steps that wait for others.
var waits = []string{"expect", "settle"}

// guards reports whether a step waits until others are ready for what comes behind it.
// Without it, whether the scenario shows anything would depend on who is faster.
func guards(steps []*yaml.Node, i int) bool {
	return waiting(steps[i]) && slices.ContainsFunc(steps[i+1:], func(later *yaml.Node) bool { return !waiting(later) })
}

func waiting(step *yaml.Node) bool {
	return slices.ContainsFunc(waits, func(verb string) bool { return field(step, verb) != nil })
}

// guarding reports whether a path leads to a step that guards others, or into one.
func (s *source) guarding(p path) bool {
	const toStep = 2 // steps, and one of them
	if len(p) < toStep || s.root.Content[p[0]-1].Value != "steps" {
		return false
	}
	return guards(s.root.Content[p[0]].Content, p[1])
}
