package scenarios

import "github.com/cosi-emu/cosi-emu/internal/scenario/spec"

// Built returns the scenario that Run runs.
func (b *Builder) Built() (*spec.Scenario, error) { return b.build() }
