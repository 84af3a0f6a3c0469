package scenarios

import (
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
)

// Description sets the description of the scenario.
func (b *Builder) Description(words string) *Builder {
	return b.head(caller(), "description", words)
}

// Proves lists the evidence that the scenario provides: sections of the KEP and numbers of
// docs/known-failures.md.
func (b *Builder) Proves(what ...string) *Builder { return b.head(caller(), "proves", what) }

// Labels are for the selection of scenarios.
func (b *Builder) Labels(labels map[string]string) *Builder {
	return b.head(caller(), "labels", labels)
}

// API is the version of the COSI kinds that the scenario is for. It defaults to v1alpha2.
func (b *Builder) API(version objectstorage.Version) *Builder {
	return b.set(caller(), b.setup, "api", string(version))
}

// Timeout is the timeout of steps without their own.
func (b *Builder) Timeout(timeout time.Duration) *Builder {
	return b.set(caller(), b.setup, "timeout", timeout)
}

// Limits limit the work of the scenario.
func (b *Builder) Limits(limits Limits) *Builder { return b.set(caller(), b.setup, "limits", limits) }

// Images maps images of Pods to commands of this machine. The scenario has an emulator of its own, and requires
// AllowExec.
func (b *Builder) Images(images map[string]string) *Builder {
	return b.set(caller(), b.setup, "images", images)
}

// Driver adds a fake driver with a sidecar and classes of its own.
func (b *Builder) Driver(driver FakeDriver) *Builder { return b.extend(caller(), "drivers", driver) }

// Class adds a BucketClass, ${classes.NAME}.
func (b *Builder) Class(class Class) *Builder { return b.extend(caller(), "classes", class) }

// AccessClass adds a BucketAccessClass, ${accessClasses.NAME}.
func (b *Builder) AccessClass(class AccessClass) *Builder {
	return b.extend(caller(), "accessClasses", class)
}

// Stopped names components that do not run when the first step begins.
func (b *Builder) Stopped(components ...string) *Builder {
	return b.set(caller(), b.setup, "stopped", components)
}

// Allow makes a standing oracle tolerate a finding. About is a word of its report, or empty for
// any, and the reason explains why it is correct here.
func (b *Builder) Allow(oracle, about, reason string) *Builder {
	exception, at := mapping(pair{"oracle", text(oracle)}, pair{"reason", text(reason)}), caller()
	if about != "" {
		exception.Content = append(exception.Content, text("about"), text(about))
	}
	b.place(exception, at)
	b.allow.Content = append(b.allow.Content, exception)
	return b
}

func (b *Builder) head(at document.Position, field string, value any) *Builder {
	if b.root == nil {
		b.failed = append(b.failed, &document.Problem{Position: at, Message: field + " applies to a scenario, not to a step list"})
		return b
	}
	return b.set(at, b.root, field, value)
}

func (b *Builder) set(at document.Position, of *yaml.Node, field string, value any) *Builder {
	n, err := node(value)
	if err != nil {
		b.failed = append(b.failed, &document.Problem{Position: at, Message: field + ": " + err.Error()})
		return b
	}
	key := text(field)
	b.place(key, at)
	b.place(n, at)
	of.Content = append(of.Content, key, n)
	return b
}

// extend adds an item to a list of the setup.
func (b *Builder) extend(at document.Position, field string, item any) *Builder {
	for i := 0; i+1 < len(b.setup.Content); i += 2 {
		if b.setup.Content[i].Value == field {
			n, err := node(item)
			if err == nil {
				b.place(n, at)
				b.setup.Content[i+1].Content = append(b.setup.Content[i+1].Content, n)
			}
			return b
		}
	}
	return b.set(at, b.setup, field, []any{item})
}
