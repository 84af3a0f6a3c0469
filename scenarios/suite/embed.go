// Package suite has the files of the scenarios that ship with cosi-emu: every control flow of the
// KEP, the known failures of other implementations, and mistakes of drivers and components.
// `cosi-emu run --suite` runs them.
package suite

import "embed"

// FS has the files of the suite: AREA/NAME.yaml is the scenario NAME, and v1alpha1/AREA/NAME.yaml
// one for the kinds of v1alpha1. The folders steps have the lists of steps that scenarios use.
//
//go:embed */*.yaml v1alpha1/*/*.yaml
var FS embed.FS
