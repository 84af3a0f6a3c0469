package chart

import (
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/report/timeline/format"
)

// Transition is a change of a condition, as a row of a table.
type Transition struct {
	At, Object, Type        string
	Status, Reason, Message string
	Class                   string

	from time.Time
}

// Transitions returns the changes of all conditions in order, as an alternative to the picture.
func Transitions(s report.Scenario) []Transition {
	var found []Transition
	for _, h := range histories(s.Events) {
		for _, c := range h.Conditions {
			for _, one := range c.States {
				found = append(found, Transition{
					At: format.Offset(Since(s, one.From)), Object: h.Kind + " " + ShortName(h.Name, s.Namespace), Type: c.Type,
					Status: string(one.Status), Reason: one.Reason, Message: one.Message, Class: stateClass(one), from: one.From,
				})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Transition) int { return a.from.Compare(b.from) })
	return found
}
