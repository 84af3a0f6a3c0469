package operations

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/glob"
	"github.com/cosi-emu/cosi-emu/internal/suggest"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// ofDrivers are prefixes of the components of further drivers, and of Pods, whose suffixes depend on the
// emulator.
var ofDrivers = []string{vocabulary.Sidecar + ".", vocabulary.Driver + ".", vocabulary.Bridge + ".", vocabulary.Pod}

// Components returns the components that an emulator may have. Further drivers, and second
// replicas, have longer names.
func Components() []string { return append(vocabulary.Components(), vocabulary.ControlPlane()...) }

// atSeam are the components with operations at a seam. Seam process has all.
func atSeam(seam journal.Seam) []string {
	switch seam {
	case journal.SeamAPI:
		return []string{vocabulary.Controller, vocabulary.Sidecar}
	case journal.SeamRPC:
		return []string{vocabulary.Sidecar, vocabulary.Driver, vocabulary.Bridge}
	case journal.SeamStore:
		return []string{vocabulary.Driver, vocabulary.Store, vocabulary.GCS, vocabulary.Azure}
	default:
		return Components()
	}
}

// CheckComponentAt returns an error if a pattern matches no component that an emulator may
// have with operations at a seam.
func CheckComponentAt(seam journal.Seam, pattern string) error {
	if err := CheckComponent(pattern); err != nil || pattern == "" {
		return err
	}
	known := atSeam(seam)
	ofDriver := func(prefix string) bool {
		return slices.Contains(known, strings.TrimSuffix(prefix, ".")) && mayBegin(pattern, prefix)
	}
	if matchesAny(pattern, known) || slices.ContainsFunc(ofDrivers, ofDriver) {
		return nil
	}
	return fmt.Errorf("component %q has no operations at seam %s: it can be %s", pattern, seam, strings.Join(known, ", "))
}

// matchesAny reports whether a pattern matches one of some components, or its replica.
func matchesAny(pattern string, components []string) bool {
	return slices.ContainsFunc(components, func(name string) bool {
		return glob.Match(pattern, name) || glob.Match(pattern, name+vocabulary.ReplicaSuffix)
	})
}

// CheckComponent returns an error if a pattern matches no component that an emulator may
// have.
func CheckComponent(pattern string) error {
	known := Components()
	if matchesAny(pattern, known) || mayBeOfDriver(pattern) {
		return nil
	}
	if glob.HasWildcard(pattern) {
		return fmt.Errorf("the pattern %q matches no component: %s", pattern, suggest.From(strings.ReplaceAll(pattern, "*", ""), known))
	}
	return fmt.Errorf("unknown component %q: %s", pattern, suggest.From(pattern, known))
}

// mayBeOfDriver reports whether a pattern may match a component of a further driver.
func mayBeOfDriver(pattern string) bool {
	return slices.ContainsFunc(ofDrivers, func(prefix string) bool { return mayBegin(pattern, prefix) })
}

// mayBegin reports whether a pattern may match a name with a prefix.
func mayBegin(pattern, prefix string) bool {
	literal, _, wild := strings.Cut(pattern, "*")
	return strings.HasPrefix(literal, prefix) || wild && strings.HasPrefix(prefix, literal)
}
