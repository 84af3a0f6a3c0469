package journal

import (
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/glob"
)

// EventPrefix starts the names of watch events at [SeamAPI], such as "event buckets".
const EventPrefix = "event "

// The steps in the life of a component are the operations at [SeamProcess].
const (
	StepStart = "start"
	StepReady = "ready"
	StepStop  = "stop"
	StepCrash = "crash"
	StepFail  = "fail"
	// StepExit is the end of a Pod's process by itself. The message has its exit code.
	StepExit = "exit"
	// StepForget is the loss of data that a component keeps across restarts. The response names the
	// lost data.
	StepForget = "forget"
	// StepLoseLease is the loss of a component's Lease to another holder.
	StepLoseLease = "lose lease"
)

// Steps returns the operations at [SeamProcess].
func Steps() []string {
	return []string{StepStart, StepReady, StepStop, StepCrash, StepFail, StepExit, StepForget, StepLoseLease}
}

var (
	readVerbs  = []string{"get", "list", "watch"}
	writeVerbs = []string{"create", "update", "patch", "delete", "deletecollection"}
)

// VerbWrite is the verb of patterns that match each write of a resource at [SeamAPI], by whatever verb.
const VerbWrite = "write"

// MatchOperation reports whether the name of an operation matches a pattern, in which * is any text. The pattern
// "write buckets" matches every request that may change a Bucket. "write *" matches no write of a Lease, which is
// how a leader shows that it is alive.
func MatchOperation(pattern, name string) bool {
	if glob.Match(pattern, name) {
		return true
	}
	resources, isWrite := strings.CutPrefix(pattern, VerbWrite+" ")
	verb, resource, _ := strings.Cut(name, " ")
	if !isWrite || !slices.Contains(writeVerbs, verb) || resource == "leases" && resources != "leases" {
		return false
	}
	return glob.Match(resources, resource)
}

// Verbs returns the verbs of requests at [SeamAPI], reading ones first.
func Verbs() []string { return slices.Concat(readVerbs, writeVerbs) }
