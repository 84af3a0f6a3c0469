package spec

import (
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// empty are the verbs that require an argument, with the advice.
var empty = map[string]struct {
	needs string
	is    func(s *Step) bool
}{
	"apply":    {"an object, or a list of objects", func(s *Step) bool { return len(*s.Apply) == 0 }},
	"patch":    {"objects and their changes", func(s *Step) bool { return len(*s.Patch) == 0 }},
	"delete":   {"objects, KIND/NAME", func(s *Step) bool { return len(*s.Delete) == 0 }},
	"expect":   {"objects and their expected fields", func(s *Step) bool { return len(*s.Expect) == 0 }},
	"parallel": {"lists of steps", func(s *Step) bool { return len(s.Parallel) == 0 }},
	"repeat":   {"steps", func(s *Step) bool { return len(s.Repeat.Steps) == 0 }},
	"forEach":  {"steps", func(s *Step) bool { return len(s.ForEach.Steps) == 0 }},
	"mark":     {"a name", func(s *Step) bool { return strings.TrimSpace(s.Mark) == "" }},
	"use":      {"a file", func(s *Step) bool { return s.Use == "" }},
}

// something checks that the verb has its argument: a step without one would do nothing, and pass.
func (v *validation) something(s *Step) {
	if about, ok := empty[s.Verb]; ok && about.is(s) {
		v.decoder.fail(s.Position, "%s requires %s", s.Verb, about.needs)
	}
	if s.Patch == nil {
		return
	}
	for i := range *s.Patch {
		if change := &(*s.Patch)[i]; change.Merge.kind != yaml.MappingNode {
			v.decoder.fail(change.Merge.Position, "%s/%s requires the fields to change", change.Object.Kind, change.Object.Name.Source())
		}
	}
}

// alwaysFor checks that the step's timeout is not shorter.
func (v *validation) alwaysFor(s *Step) {
	limit := s.Timeout.Or(Duration(v.setup.Timeout.Or(DefaultTimeout)))
	if asked := time.Duration(s.Always.For); asked >= limit {
		v.decoder.fail(s.Position, "always must hold for %s, but the step times out after %s: raise its timeout", asked, limit)
	}
}
