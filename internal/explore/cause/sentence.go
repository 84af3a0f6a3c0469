package cause

import (
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
)

// did tells what a component did, or that its process ended, and the outcome if that is not success.
func (s *search) did(e journal.Event) string { return s.didWith(e, e.Outcome) }

func (s *search) didWith(e journal.Event, outcome string) string {
	if e.Seam == journal.SeamProcess && e.Operation.Name == journal.StepFail {
		return "the process of " + s.names(e.Component) + " ended"
	}
	return s.names(e.Component) + " " + s.act(e, outcome)
}

// act is the predicate of a sentence about an operation.
func (s *search) act(e journal.Event, outcome string) string {
	text := s.names(done(e.Operation))
	if e.Outcome != journal.OutcomeOK {
		text += ", which returned " + outcome
	}
	return text
}

// past are the verbs of writes in their past tense.
var past = map[string]string{
	"create": "created", "update": "updated", "patch": "patched", "delete": "deleted", "deletecollection": "deleted all",
}

// done describes an operation in the past tense: "patched the status of Bucket b", "called DriverCreateBucket b".
func done(o journal.Operation) string {
	verb, resource, _ := strings.Cut(o.Name, " ")
	resource, part, _ := strings.Cut(resource, "/")
	kind := run.KindOf[resource]
	switch {
	case past[verb] == "":
		return "called " + o.String()
	case kind == "":
		return past[verb] + " " + strings.TrimPrefix(o.String(), verb+" ")
	case part != "":
		return past[verb] + " the " + part + " of " + kind + " " + o.Subject
	default:
		return past[verb] + " " + kind + " " + o.Subject
	}
}
