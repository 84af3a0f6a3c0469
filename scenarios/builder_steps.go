package scenarios

import (
	"maps"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
)

// Apply creates objects, or changes them to these (server-side apply): Go types of Kubernetes or
// COSI, or Fields.
func (b *Builder) Apply(objects ...any) *Builder { return b.step(caller(), "apply", objects) }

// Patch changes parts of an object, KIND/NAME, by a JSON merge patch, in which nil
// removes a field.
func (b *Builder) Patch(object string, changes Fields) *Builder {
	return b.step(caller(), "patch", Fields{object: changes})
}

// Delete deletes objects, KIND/NAME.
func (b *Builder) Delete(objects ...string) *Builder { return b.step(caller(), "delete", objects) }

// Expect waits until an object, KIND/NAME, matches a pattern: a minimum of Fields, Present or
// Absent, or a condition made by CEL.
func (b *Builder) Expect(object string, pattern any) *Builder {
	return b.step(caller(), "expect", Fields{object: pattern})
}

// AlwaysFor fails when an object does not match during a time.
func (b *Builder) AlwaysFor(object string, pattern any, time time.Duration) *Builder {
	return b.step(caller(), "always", Fields{"objects": Fields{object: pattern}, "for": time})
}

// AlwaysWhile fails when an object does not match while steps run.
func (b *Builder) AlwaysWhile(object string, pattern any, steps *Builder) *Builder {
	return b.step(caller(), "always", Fields{"objects": Fields{object: pattern}, "while": b.within(steps)})
}

// Calls waits until the journal has events, in this order unless AnyOrder is set.
func (b *Builder) Calls(events Events) *Builder { return b.step(caller(), "calls", events) }

// Never fails if the journal has one of the events.
func (b *Builder) Never(events Events) *Builder { return b.step(caller(), "never", events) }

// Mark marks this moment, for Events.
func (b *Builder) Mark(name string) *Builder { return b.step(caller(), "mark", name) }

// Settle waits until the components make no API write and no call for a time; 0 means 200 ms.
func (b *Builder) Settle(quiet time.Duration) *Builder {
	if quiet == 0 {
		return b.step(caller(), "settle", Fields{})
	}
	return b.step(caller(), "settle", Fields{"quiet": quiet})
}

// Call calls a method of a driver.
func (b *Builder) Call(call Call) *Builder { return b.step(caller(), "call", call) }

// S3 uses S3 with the credentials of a Secret.
func (b *Builder) S3(use S3) *Builder { return b.step(caller(), "s3", use) }

// Backend checks or changes the contents of the store.
func (b *Builder) Backend(backend Backend) *Builder { return b.step(caller(), "backend", backend) }

// Crash kills components, and starts them again.
func (b *Builder) Crash(components ...string) *Builder { return b.step(caller(), "crash", components) }

// Restart stops components gracefully, and starts them again.
func (b *Builder) Restart(components ...string) *Builder {
	return b.step(caller(), "restart", components)
}

// Start starts components.
func (b *Builder) Start(components ...string) *Builder { return b.step(caller(), "start", components) }

// Stop stops components gracefully.
func (b *Builder) Stop(components ...string) *Builder { return b.step(caller(), "stop", components) }

// Inject applies a fault from now on.
func (b *Builder) Inject(f fault.Fault) *Builder { return b.step(caller(), "inject", f) }

// Heal ends faults by their names; without names all.
func (b *Builder) Heal(faults ...string) *Builder {
	return b.step(caller(), "heal", slices.Concat([]string{}, faults))
}

// Parallel runs lists of steps at the same time.
func (b *Builder) Parallel(branches ...*Builder) *Builder {
	all := make([]*yaml.Node, 0, len(branches))
	for _, branch := range branches {
		all = append(all, b.within(branch))
	}
	return b.step(caller(), "parallel", all)
}

// Repeat runs steps several times; ${index} counts from 0.
func (b *Builder) Repeat(times int, steps *Builder) *Builder {
	return b.step(caller(), "repeat", Fields{"times": times, "steps": b.within(steps)})
}

// ForEach runs steps for each row of a table, ${row}.
func (b *Builder) ForEach(rows List, steps *Builder) *Builder {
	return b.step(caller(), "forEach", Fields{"in": rows, "steps": b.within(steps)})
}

// Use runs the steps of a file, relative to the test's directory.
func (b *Builder) Use(file string) *Builder { return b.step(caller(), "use", file) }

// Exec runs a program, if that is allowed.
func (b *Builder) Exec(program Exec) *Builder { return b.step(caller(), "exec", program) }

// Logs waits until the output of a Pod matches.
func (b *Builder) Logs(output Logs) *Builder { return b.step(caller(), "logs", output) }

// Golden compares objects, KIND/NAME, with a file, relative to the test's
// directory, which -scenarios.update rewrites.
func (b *Builder) Golden(file string, objects ...string) *Builder {
	return b.step(caller(), "golden", Fields{"file": file, "objects": objects})
}

// within returns the steps of a list, and takes over their positions and problems.
func (b *Builder) within(steps *Builder) *yaml.Node {
	maps.Copy(b.places, steps.places)
	b.failed = append(b.failed, steps.failed...)
	return steps.steps
}
