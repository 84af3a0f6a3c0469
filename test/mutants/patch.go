package mutants

import (
	"fmt"
	"strings"
)

// Patch is a bug that no wrapper can plant: a patch of the source, in the file
// patches/NAME.patch. docs/reports/mutants.md lists them.
type Patch struct {
	// Name is a few words with hyphens.
	Name string
	// Bug describes the bug and its consequence.
	Bug string
	// Net is the command that finds the bug, without the name of the program.
	Net []string
	// Written is set if a scenario of the net was written for this bug.
	Written bool
	// Oracles may find the bug.
	Oracles []string
	// Took is the measured duration of the command, with its start and, of an exploration, the
	// shrinking. Lines is the length of the shrunk scenario's steps; a run shrinks nothing.
	Took  string
	Lines int
}

// row renders the patch for the table.
func (p Patch) row() string {
	lines, net := "", "`"+p.command()+"`"
	if p.Lines > 0 {
		lines = fmt.Sprint(p.Lines)
	}
	if p.Written {
		net += ", written for it"
	}
	return fmt.Sprintf("| %#q | %s | %s | %s | %s | %s |", p.Name, p.Bug, net, strings.Join(p.Oracles, ", "), p.Took, lines)
}

// command renders the command for a shell.
func (p Patch) command() string {
	words := make([]string, len(p.Net))
	for i, word := range p.Net {
		if strings.ContainsAny(word, " *") {
			word = "'" + word + "'"
		}
		words[i] = word
	}
	return strings.Join(words, " ")
}

// The scenarios of the nets. None of them names a bug.
const (
	lifecycle   = "internal/explore/testdata/lifecycle.yaml"
	oneAccess   = "scenarios/suite/steady/one-access.yaml"
	twoAccesses = "scenarios/suite/steady/two-accesses.yaml"
	twoBuckets  = "scenarios/suite/steady/two-buckets.yaml"
	existing    = "scenarios/suite/steady/existing.yaml"

	twoBucketsOneAccess = "scenarios/suite/multibucket/two-buckets-one-access.yaml"
	twoApplications     = "scenarios/suite/access/two-applications.yaml"

	v1alpha1Lifecycle = "internal/explore/testdata/v1alpha1/lifecycle.yaml"
)

// v1alpha1 is a scenario of the suite for v1alpha1.
func v1alpha1(name string) string { return "scenarios/suite/v1alpha1/" + name + ".yaml" }

// cleanRun is an exploration without faults: the standing oracles judge one run, and their findings
// are shrunk.
func cleanRun(scenario string) []string { return []string{"explore", scenario, "--at", "nothing"} }

// faults is an exploration of one effect at some points.
func faults(scenario, effect, at string) []string {
	return []string{"explore", scenario, "--effects", effect, "--at", at}
}

// interfering is an exploration of one interference at some points.
func interfering(scenario, interference, at string) []string {
	return []string{"explore", scenario, "--interference", "--effects", interference, "--at", at}
}

// pairs is an exploration of one interference and one fault of a machine, at some points.
func pairs(scenario, interference, at string) []string {
	return append(interfering(scenario, interference, at), "--pairs", "--prune", "step")
}

// lived are generated scenarios of v1alpha1.
func lived() []string { return []string{"explore", "--lives", "500", "--api", "v1alpha1"} }

// bridged is a command with the bridge in front of the fake driver.
func bridged(command []string) []string { return append(command, "--dialect", "v1alpha1") }

// onPrograms is a command on kube-apiserver and kube-controller-manager, for a bug that needs their timing: the embedded
// control plane ends a namespace, or delivers a watch event, before the bug can show.
func onPrograms(command []string) []string { return append(command, "--control-plane", "envtest") }

// suite runs the scenarios of an area.
func suite(area string) []string { return []string{"run", "--suite", "--filter", "area=" + area} }
