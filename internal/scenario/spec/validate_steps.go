package spec

import (
	"maps"
	"slices"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/internal/seam/operations"
	"github.com/cosi-emu/cosi-emu/internal/suggest"
)

// validation walks over the steps in their order.
type validation struct {
	decoder *decoder
	setup   *Setup
	api     objectstorage.Version
	// allMarks are the marks of the whole scenario.
	allMarks map[string]bool
	// allFaults are the faults of the whole scenario by their names.
	allFaults map[string]*Fault
	// incomplete means that some steps could not be read, which may have marks and faults.
	// unreadInclude means that an included file could not be read, which may also define variables.
	incomplete, unreadInclude bool
}

// scope has the variables with a value.
type scope map[string]bool

func scopeOf(names []string) scope {
	s := scope{}
	for _, name := range names {
		s[name] = true
	}
	return s
}

func (s scope) with(names ...string) scope {
	s = maps.Clone(s)
	for _, name := range names {
		s[name] = true
	}
	return s
}

// steps checks steps, and adds their variables and marks to the scope and the marks.
func (v *validation) steps(all []Step, known scope, marks map[string]bool) {
	for i := range all {
		v.step(&all[i], known, marks)
	}
}

func (v *validation) step(s *Step, known scope, marks map[string]bool) {
	if !v.unreadInclude {
		v.variables(s, known)
	}
	if !s.Broken {
		v.something(s)
		v.arguments(s, marks)
		v.rejection(s)
	}
	if !s.Broken && s.Forget && s.Crash == nil && s.Restart == nil {
		v.decoder.fail(s.Position, "forget requires crash or restart: the component then starts without its saved state")
	}
	v.within(s, known, marks)
	if s.Mark != "" {
		marks[s.Mark] = true
	}
	if s.As == "" {
		return
	}
	switch {
	case !identifier.MatchString(s.As):
		v.decoder.fail(s.Position, "as is %q, must be an identifier: letters, digits and _", s.As)
	case slices.Contains(Variables, s.As) || s.As == selfName:
		v.decoder.fail(s.Position, "as is %q, which is a predefined variable", s.As)
	}
	known[s.As] = true
}

// variables checks that all variables in the step's expressions have a value.
func (v *validation) variables(s *Step, known scope) {
	for _, use := range s.uses {
		for _, name := range use.names {
			if !known[name] && name != selfName {
				v.decoder.fail(use.position, "variable %q is not defined at this step: %s", name, suggest.From(name, slices.Sorted(maps.Keys(known))))
			}
		}
		v.selected(use)
	}
}

// selected checks that the setup has the classes and drivers that expressions use.
func (v *validation) selected(use use) {
	if v.setup.Broken {
		return
	}
	for variable, known := range v.setup.names() {
		for _, name := range use.selects(variable) {
			if !slices.Contains(known, name) {
				v.decoder.fail(use.position, "%s.%s is not defined: setup.%s has no %q: %s", variable, name, variable, name, suggest.From(name, known))
			}
		}
	}
}

// within checks the steps within a step. Variables of a branch are known afterwards.
func (v *validation) within(s *Step, known scope, marks map[string]bool) {
	inner := known
	if s.ForEach != nil {
		inner = known.with(s.ForEach.row())
	}
	for _, nested := range s.Nested() {
		v.steps(nested, inner, marks)
	}
	v.steps(s.Included, known, marks)
}

func (f *ForEach) row() string {
	if f.As == "" {
		return "row"
	}
	return f.As
}

// RowName is the name of the row in the expressions of the steps.
func (f *ForEach) RowName() string { return f.row() }

// checks are the verbs whose arguments need more than a check of their form.
var checks = map[string]func(v *validation, s *Step, marks map[string]bool){
	"always":  (*validation).always,
	"apply":   (*validation).applied,
	"backend": (*validation).backend,
	"call":    (*validation).call,
	"crash":   func(v *validation, s *Step, _ map[string]bool) { v.componentNames(s, s.Crash) },
	"restart": func(v *validation, s *Step, _ map[string]bool) { v.componentNames(s, s.Restart) },
	"start":   func(v *validation, s *Step, _ map[string]bool) { v.componentNames(s, s.Start) },
	"stop":    func(v *validation, s *Step, _ map[string]bool) { v.componentNames(s, s.Stop) },
	"heal":    (*validation).heal,
	"expect":  func(v *validation, s *Step, _ map[string]bool) { v.expected(*s.Expect) },
	"calls":   func(v *validation, s *Step, marks map[string]bool) { v.events(s, s.Calls, marks) },
	"exec":    (*validation).exec,
	"forEach": (*validation).forEach,
	"golden":  (*validation).golden,
	"inject":  (*validation).fault,
	"patch":   (*validation).patched,
	"never":   func(v *validation, s *Step, marks map[string]bool) { v.events(s, s.Never, marks) },
	"repeat":  (*validation).repeat,
	"s3":      (*validation).s3,
}

func (v *validation) arguments(s *Step, marks map[string]bool) {
	if check, ok := checks[s.Verb]; ok {
		check(v, s, marks)
	}
}

// rejection checks that a rejection refers to exactly one request.
func (v *validation) rejection(s *Step) {
	objects := 0
	switch {
	case s.Rejected.IsZero():
		return
	case s.Apply != nil:
		objects = len(*s.Apply)
	case s.Patch != nil:
		objects = len(*s.Patch)
	case s.Delete != nil:
		objects = len(*s.Delete)
	}
	if objects != 1 {
		v.decoder.fail(s.Position, "rejected requires an apply, patch or delete of exactly one object")
	}
}

func (v *validation) repeat(s *Step, _ map[string]bool) {
	if s.Repeat.Times < 1 {
		v.decoder.fail(s.Position, "repeat requires times, which is %d and must be 1 or more", s.Repeat.Times)
	}
}

func (v *validation) always(s *Step, _ map[string]bool) {
	if (s.Always.For == 0) == (len(s.Always.While) == 0) {
		v.decoder.fail(s.Position, "always requires either `for`, a time, or `while`, steps")
	}
	if len(s.Always.Objects) == 0 {
		v.decoder.fail(s.Position, "always requires objects and their expected fields")
	}
	v.alwaysFor(s)
	v.expected(s.Always.Objects)
}

func (v *validation) exec(s *Step, _ map[string]bool) {
	if len(s.Exec.Command) == 0 {
		v.decoder.fail(s.Position, "exec requires a command")
	}
}

func (v *validation) golden(s *Step, _ map[string]bool) {
	if s.Golden.File == "" || len(s.Golden.Objects) == 0 {
		v.decoder.fail(s.Position, "golden requires a file and objects")
	}
}

func (v *validation) forEach(s *Step, _ map[string]bool) {
	if len(s.ForEach.In) == 0 {
		v.decoder.fail(s.Position, "forEach requires rows in `in`")
	}
	if !identifier.MatchString(s.ForEach.row()) {
		v.decoder.fail(s.Position, "as is %q, must be an identifier: letters, digits and _", s.ForEach.As)
	}
}

func (v *validation) call(s *Step, _ map[string]bool) {
	if s.Call.Method.IsZero() {
		v.decoder.fail(s.Position, "call requires a method, such as DriverCreateBucket")
	}
	if name, ok := literal(s.Call.Method); ok {
		v.method(s.Call.Method.Position, name)
		if method := operations.Method(v.api, name); method != nil {
			v.message(&s.Call.Request, method.Input())
		}
	}
	v.code(s.Call.Code)
	names := []string{}
	for _, driver := range v.setup.Drivers {
		names = append(names, driver.Name)
	}
	if name := s.Call.Driver.Source(); !v.setup.Broken && name != "" && !slices.Contains(names, name) {
		v.decoder.fail(s.Position, "driver %q not found in setup.drivers: %s", name, suggest.From(name, names))
	}
}

func (v *validation) events(s *Step, events *Events, marks map[string]bool) {
	if len(events.Events) == 0 {
		v.decoder.fail(s.Position, "%s requires events", s.Verb)
	}
	for _, mark := range []string{events.Since, events.Until} {
		if mark != "" && !marks[mark] && !v.incomplete {
			v.decoder.fail(s.Position, "mark %q not found before this step: %s", mark, suggest.From(mark, slices.Sorted(maps.Keys(marks))))
		}
	}
	for i := range events.Events {
		event := &events.Events[i]
		v.event(event)
		v.decoder.oneOf(event.Position, "seam", []string{event.Seam}, "", "api", "rpc", "store", "process")
	}
}

func (v *validation) s3(s *Step, _ map[string]bool) {
	operations := 0
	for _, given := range []bool{
		!s.S3.Put.IsZero(), !s.S3.Get.IsZero(), !s.S3.Head.IsZero(), !s.S3.Delete.IsZero(), s.S3.List != nil,
		!s.S3.Multipart.IsZero(), !s.S3.PresignGet.IsZero(), !s.S3.PresignPut.IsZero(),
	} {
		if given {
			operations++
		}
	}
	if operations != 1 || s.S3.Secret.IsZero() {
		v.decoder.fail(s.Position, "s3 requires a secret, and one of put, get, head, delete, list, multipart, presignGet, presignPut")
	}
	v.putSize(s, s.S3.Size)
	v.s3Code(s.S3.Code)
	if s.S3.ServiceAccount.IsZero() != s.S3.Access.IsZero() {
		v.decoder.fail(s.Position, "s3 requires serviceAccount and access together: one ServiceAccount may have several accesses")
	}
}

func (v *validation) fault(s *Step, _ map[string]bool) {
	v.componentAt(s.Inject.Seam, s.Inject.ComponentText())
	if err := s.Inject.check(); err != nil {
		v.decoder.fail(s.Position, "%s", err)
	}
	others := map[string]bool{}
	for name := range v.allFaults {
		if name != s.Inject.Name {
			others[name] = true
		}
	}
	v.knows(s, "fault", others, s.Inject.AsOf)
	maps.Copy(others, v.allMarks)
	v.knows(s, "mark or fault", others, s.Inject.Since, s.Inject.Until)
}

// knows rejects names that the scenario does not have; empty ones are none.
func (v *validation) knows(s *Step, what string, known map[string]bool, names ...string) {
	for _, name := range names {
		if name != "" && !known[name] && !v.incomplete {
			v.decoder.fail(s.Position, "%s %q not found in the scenario: %s",
				what, name, suggest.From(name, slices.Sorted(maps.Keys(known))))
		}
	}
}

func marksOf(steps []Step) map[string]bool {
	marks := map[string]bool{}
	for i := range steps {
		if steps[i].Mark != "" {
			marks[steps[i].Mark] = true
		}
		for _, nested := range steps[i].Within() {
			maps.Copy(marks, marksOf(nested))
		}
	}
	return marks
}
