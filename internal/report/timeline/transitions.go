package timeline

import (
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/report"
)

// transition is a change of a condition, as a row of a table.
type transition struct {
	At, Object, Type        string
	Status, Reason, Message string
	Class                   string

	from time.Time
}

// transitions are the changes of all conditions in order, as an alternative to the picture.
func transitions(s report.Scenario) []transition {
	var found []transition
	for _, h := range histories(s.Events) {
		for _, c := range h.Conditions {
			for _, one := range c.States {
				found = append(found, transition{
					At: offset(since(s, one.From)), Object: h.Kind + " " + shortName(h.Name, s.Namespace), Type: c.Type,
					Status: string(one.Status), Reason: one.Reason, Message: one.Message, Class: stateClass(one), from: one.From,
				})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b transition) int { return a.from.Compare(b.from) })
	return found
}
