package spec

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/glob"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
	"github.com/cosi-emu/cosi-emu/internal/seam/operations"
	"github.com/cosi-emu/cosi-emu/internal/suggest"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// Misspelt names would fail only in the middle of a run, or never, in a step that expects no event.
// Names with expressions are not known before the run.

// expressions matches the expressions in a text.
var expressions = regexp.MustCompile(`\$\{[^}]*\}`)

// literal returns a given text without expressions.
func literal(t Text) (string, bool) {
	source := t.Source()
	return source, source != "" && !strings.Contains(source, "${")
}

func (v *validation) componentNames(s *Step, names *Names) {
	if len(*names) == 0 {
		v.decoder.fail(s.Position, "%s requires the names of components, such as %s", s.Verb, strings.Join(vocabulary.Components()[:4], ", "))
	}
	for _, text := range *names {
		if name, ok := literal(text); ok {
			v.decoder.component(text.Position, name)
		}
	}
}

func (d *decoder) component(at document.Position, name string) {
	if glob.HasWildcard(name) {
		d.fail(at, "component %q must be a name without *", name)
		return
	}
	if err := operations.CheckComponent(name); err != nil {
		d.fail(at, "%s", err)
	}
}

// componentAt checks the component of an event or a fault at a seam. Expressions in it stand for
// the names of drivers.
func (v *validation) componentAt(seam journal.Seam, text Text) {
	pattern := expressions.ReplaceAllString(text.Source(), "*")
	if err := operations.CheckComponentAt(seam, pattern); err != nil {
		v.decoder.fail(text.Position, "%s", err)
	}
}

func (v *validation) method(at document.Position, name string) {
	if operations.Method(v.api, name) == nil {
		v.decoder.fail(at, "unknown method %q: %s", name, suggest.From(name, operations.MethodsOf(v.api)))
	}
}

// event checks that the component of an event exists, and its operation and its outcome at its
// seam.
func (v *validation) event(e *EventPattern) {
	seam := cmp.Or(journal.Seam(e.Seam), journal.SeamRPC)
	v.componentAt(seam, e.Component)
	if name, ok := literal(e.Operation); ok {
		if err := operations.Check(seam, name); err != nil {
			v.decoder.fail(e.Operation.Position, "%s", err)
		}
	}
	if outcome, ok := literal(e.Outcome); ok {
		if err := fault.CheckOutcome(seam, strings.TrimPrefix(outcome, "!")); err != nil {
			v.decoder.fail(e.Outcome.Position, "%s", err)
		}
	}
}

func (v *validation) code(text Text) {
	name, ok := literal(text)
	if _, known := fault.RPCCode(name); ok && !known && name != journal.OutcomeOK {
		known := append(fault.Codes(journal.SeamRPC), journal.OutcomeOK)
		v.decoder.fail(text.Position, "%q is not a gRPC code: %s", name, suggest.From(name, known))
	}
}

// s3Code checks an error code of S3. It accepts codes unlike any known one, because other stores
// may have them.
func (v *validation) s3Code(text Text) {
	code, ok := literal(text)
	if !ok {
		return
	}
	if meant, misspelt := fault.NearS3Code(code); misspelt {
		v.decoder.fail(text.Position, "unknown S3 error code %q: did you mean %q?", code, meant)
	}
}

// heal checks that faults of these names exist.
func (v *validation) heal(s *Step, _ map[string]bool) {
	for _, text := range *s.Heal {
		if name, ok := literal(text); ok && v.allFaults[name] == nil && !v.incomplete {
			v.decoder.fail(text.Position, "no step injects a fault %q: %s", name, suggest.From(name, slices.Sorted(maps.Keys(v.allFaults))))
		}
	}
}
