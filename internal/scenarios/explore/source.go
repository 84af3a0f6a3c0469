package explore

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/spec"
)

// unfit are the verbs whose steps are left out when exploring: a dump is not the same
// after a fault, and a fault in what runs outside of the emulator is none of COSI's.
var unfit = []string{"golden", "exec"}

// stepTimeout is how long a step may take that does not say otherwise. What a
// component does again after a fault takes it a second or two.
const stepTimeout = 5 * time.Second

// load reads the one scenario of a file, as it is explored.
func load(file string, text []byte) (*spec.Scenario, error) {
	all, err := spec.Loader{}.Parse(file, text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrScenario, err)
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("%w: %s has %d scenarios, and one can be explored at a time", ErrOptions, file, len(all))
	}
	s := all[0]
	if reason := obstacle(s.Steps); reason != "" {
		return nil, fmt.Errorf("%w: %s cannot be explored: %s", ErrScenario, file, reason)
	}
	s.Steps = fit(s.Steps)
	s.Setup.Timeout = spec.Duration(s.Setup.Timeout.Or(spec.Duration(stepTimeout)))
	if len(s.Steps) == 0 {
		return nil, fmt.Errorf("%w: %s has no steps that can be explored", ErrOptions, file)
	}
	return s, nil
}

func fit(steps []spec.Step) []spec.Step {
	kept := slices.DeleteFunc(slices.Clone(steps), pointless)
	for i := range kept {
		s := &kept[i]
		switch {
		case s.Calls != nil:
			s.Calls = relaxed(s.Calls)
		case s.Never != nil:
			never := *s.Never
			never.Events = untold(s.Never)
			s.Never = &never
		case s.Repeat != nil:
			s.Repeat.Steps = fit(s.Repeat.Steps)
		case s.ForEach != nil:
			s.ForEach.Steps = fit(s.ForEach.Steps)
		case s.Always != nil:
			s.Always.While = fit(s.Always.While)
		case s.Use != "":
			s.Included = fit(s.Included)
		}
		for j := range s.Parallel {
			s.Parallel[j] = fit(s.Parallel[j])
		}
	}
	return kept
}

// pointless reports whether a step is not explored.
func pointless(s spec.Step) bool {
	return slices.Contains(unfit, s.Verb) || s.Calls != nil && len(awaited(s.Calls)) == 0 ||
		s.Never != nil && len(untold(s.Never)) == 0
}

// relaxed waits for the same events, however often and in which order they come: after
// a fault there are more of them.
func relaxed(asked *spec.Events) *spec.Events {
	wait := *asked
	wait.AnyOrder, wait.Only, wait.Events = true, false, awaited(asked)
	for i := range wait.Events {
		wait.Events[i].Count = spec.Count{}
		if e := &wait.Events[i]; unheard(e.Seam, e.Operation.Source(), e.Outcome.Source()) {
			e.Outcome = spec.Text{}
		}
	}
	return &wait
}

// unheard reports whether an outcome need not be seen: nobody repeats a request that has
// changed the API server because its answer was lost. Reads, and calls of the driver, are
// repeated until they are answered.
func unheard(seam, operation, outcome string) bool {
	return seam == string(journal.SeamAPI) && outcome == journal.OutcomeOK && !reading.MatchString(operation)
}

// reading are the operations at the API that change nothing.
var reading = regexp.MustCompile(`^(get|list|watch|event) `)

// awaited are the events that there must be.
func awaited(asked *spec.Events) []spec.EventPattern {
	return slices.DeleteFunc(untold(asked), func(p spec.EventPattern) bool { return p.Count.Contains(0) })
}

// untold leaves out what is only told to people: it may get lost, and of a fault people
// are told what they would not be told without.
func untold(asked *spec.Events) []spec.EventPattern {
	return slices.DeleteFunc(slices.Clone(asked.Events), func(p spec.EventPattern) bool {
		return strings.HasSuffix(p.Operation.Source(), tellings)
	})
}

// tellings is how the operations end that write Events.
const tellings = " events"

// source is a scenario as a tree of YAML, from which parts can be taken.
type source struct {
	file string
	root *yaml.Node
}

func newSource(file string, text []byte) (*source, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s: %w", file, errors.New("it is no scenario"))
	}
	s := &source{file: file, root: doc.Content[0]}
	steps := field(s.root, "steps")
	if err := include(steps, file, file); err != nil {
		return nil, err
	}
	fitSteps(steps)
	return s, nil
}

// fitSteps does what fit does.
func fitSteps(steps *yaml.Node) {
	if steps == nil {
		return
	}
	for _, step := range steps.Content {
		for _, within := range nested(step) {
			fitSteps(within)
		}
	}
	steps.Content = slices.DeleteFunc(steps.Content, func(step *yaml.Node) bool {
		calls, never := field(step, "calls"), field(step, "never")
		return slices.ContainsFunc(unfit, func(verb string) bool { return field(step, verb) != nil }) ||
			calls != nil && !relax(calls) || never != nil && !dropEvents(never, tells)
	})
}

// relax does what relaxed does, and returns whether there is anything to wait for.
func relax(calls *yaml.Node) bool {
	left := dropEvents(calls, func(event *yaml.Node) bool {
		return tells(event) || field(event, "count") != nil && noneWillDo.MatchString(value(event, "count"))
	})
	if left {
		for _, event := range field(calls, "events").Content {
			drop(event, "count")
			if unheard(value(event, "seam"), value(event, "operation"), value(event, "outcome")) {
				drop(event, "outcome")
			}
		}
	}
	drop(calls, "only")
	drop(calls, "anyOrder")
	calls.Content = append(calls.Content, scalar("anyOrder"), scalar("true"))
	return left
}

func tells(event *yaml.Node) bool {
	return strings.HasSuffix(value(event, "operation"), tellings)
}

// dropEvents takes events out of those that are asked for, and returns whether any are
// left.
func dropEvents(asked *yaml.Node, which func(*yaml.Node) bool) bool {
	events := field(asked, "events")
	if events == nil {
		return false
	}
	events.Content = slices.DeleteFunc(events.Content, which)
	return len(events.Content) > 0
}

// noneWillDo is a count that 0 is in.
var noneWillDo = regexp.MustCompile(`^0*(\.\..*)?$`)

// drop takes a field out of a mapping.
func drop(n *yaml.Node, name string) {
	for i := len(n.Content) - 2; i >= 0; i -= 2 {
		if n.Content[i].Value == name {
			n.Content = slices.Delete(n.Content, i, i+2)
		}
	}
}

func scalar(value string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: value} }

// words are the fields that say something to people, and change nothing.
var words = []string{"description", "labels", "proves"}

// dropWords takes out what does not describe a smaller scenario any more.
func (s *source) dropWords() {
	for _, word := range words {
		drop(s.root, word)
	}
}

// field returns the value of a field of a mapping, or nil.
func field(n *yaml.Node, name string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

// value returns what a field of a mapping says, empty if there is none.
func value(n *yaml.Node, name string) string {
	if found := field(n, name); found != nil {
		return found.Value
	}
	return ""
}

// text renders the source.
func (s *source) text() ([]byte, error) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(s.root); err != nil {
		return nil, err
	}
	return out.Bytes(), encoder.Close()
}

// scenario is the source as it is run.
func (s *source) scenario() (*spec.Scenario, error) {
	text, err := s.text()
	if err != nil {
		return nil, err
	}
	return load(s.file, text)
}

func (s *source) clone() *source { return &source{file: s.file, root: cloneNode(s.root)} }

func cloneNode(n *yaml.Node) *yaml.Node {
	if n == nil {
		return nil
	}
	c := *n
	c.Alias = cloneNode(n.Alias)
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, child := range n.Content {
		c.Content[i] = cloneNode(child)
	}
	return &c
}

// saysNoTimeout reports whether the scenario leaves the time of its steps to others.
func (s *source) saysNoTimeout() bool { return field(field(s.root, "setup"), "timeout") == nil }

// limitSteps has the scenario say how long its steps may take, as explored.
func (s *source) limitSteps() {
	limit := []*yaml.Node{scalar("timeout"), scalar(stepTimeout.String())}
	if setup := field(s.root, "setup"); setup != nil {
		setup.Content = append(setup.Content, limit...)
		return
	}
	setup := &yaml.Node{Kind: yaml.MappingNode, Content: limit}
	at := len(s.root.Content)
	for i := 0; i < at; i += 2 {
		if s.root.Content[i].Value == "steps" {
			at = i
		}
	}
	s.root.Content = slices.Insert(s.root.Content, at, scalar("setup"), setup)
}
