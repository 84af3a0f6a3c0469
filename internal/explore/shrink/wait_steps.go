package shrink

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/internal/explore/source"
)

// waits are the verbs of steps that wait.
var waits = []string{"expect", "settle"}

// isWait reports whether a step waits before a later step. Without it, the finding would
// depend on a race.
func isWait(steps []*yaml.Node, i int) bool {
	return isWaitStep(steps[i]) && slices.ContainsFunc(steps[i+1:], func(later *yaml.Node) bool { return !isWaitStep(later) })
}

func isWaitStep(step *yaml.Node) bool {
	return slices.ContainsFunc(waits, func(verb string) bool { return source.Field(step, verb) != nil })
}

func (t *tree) waitsAt(p path) bool {
	const toStep = 2
	if len(p) < toStep || t.root.Content[p[0]-1].Value != "steps" {
		return false
	}
	return isWait(t.root.Content[p[0]].Content, p[1])
}
