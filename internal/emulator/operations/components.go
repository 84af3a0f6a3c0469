package operations

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/emulator/vocabulary"
	"github.com/cosi-emu/cosi-emu/internal/glob"
	"github.com/cosi-emu/cosi-emu/internal/suggest"
)

// ofDrivers begin the names of the components of further drivers, whose ends depend on
// the emulator.
var ofDrivers = []string{vocabulary.Sidecar + ".", vocabulary.Driver + "."}

// Components returns the components that an emulator may have. Further drivers, and
// second replicas, have more in their names.
func Components() []string { return append(vocabulary.Components(), vocabulary.ControlPlane()...) }

// CheckComponent returns an error if a pattern matches no component that an emulator may
// have.
func CheckComponent(pattern string) error {
	known := Components()
	matches := func(name string) bool {
		return glob.Match(pattern, name) || glob.Match(pattern, name+vocabulary.ReplicaSuffix)
	}
	if slices.ContainsFunc(known, matches) || mayBeOfDriver(pattern) {
		return nil
	}
	if glob.HasWildcard(pattern) {
		return fmt.Errorf("the pattern %q matches no component: %s", pattern, suggest.From(strings.ReplaceAll(pattern, "*", ""), known))
	}
	return fmt.Errorf("unknown component %q: %s", pattern, suggest.From(pattern, known))
}

// mayBeOfDriver reports whether a pattern may match a component of a further driver.
func mayBeOfDriver(pattern string) bool {
	literal, _, wild := strings.Cut(pattern, "*")
	return slices.ContainsFunc(ofDrivers, func(prefix string) bool {
		return strings.HasPrefix(literal, prefix) || wild && strings.HasPrefix(prefix, literal)
	})
}
