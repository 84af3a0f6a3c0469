package explore

import (
	"fmt"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

func outline(steps []spec.Step) (lines []string) {
	for i := range steps {
		line := steps[i].Verb
		for _, asked := range []*spec.Events{steps[i].Calls, steps[i].Never} {
			if asked == nil {
				continue
			}
			line += fmt.Sprintf(" only %v, any order %v:", asked.Only, asked.AnyOrder)
			for _, e := range asked.Events {
				line += fmt.Sprintf(" %s %v %s", e.Operation.Source(), e.Count, e.Outcome.Source())
			}
		}
		lines = append(lines, line)
		for _, within := range steps[i].Within() {
			lines = append(lines, outline(within)...)
		}
	}
	return lines
}
