package journal

import "slices"

// EventPrefix is how an operation at [SeamAPI] begins that a watch tells a component
// of: "event buckets".
const EventPrefix = "event "

// The steps in the life of a component, which are the operations at [SeamProcess].
const (
	StepStart = "start"
	StepReady = "ready"
	StepStop  = "stop"
	StepCrash = "crash"
	StepFail  = "fail"
	// StepForget is the loss of what a component keeps across restarts. The response
	// names what is lost.
	StepForget = "forget"
	// StepLoseLease is the loss of a component's Lease to another holder.
	StepLoseLease = "lose lease"
)

// Steps returns the operations at [SeamProcess].
func Steps() []string {
	return []string{StepStart, StepReady, StepStop, StepCrash, StepFail, StepForget, StepLoseLease}
}

var (
	readVerbs  = []string{"get", "list", "watch"}
	writeVerbs = []string{"create", "update", "patch", "delete", "deletecollection"}
)

// Verbs returns the verbs of requests at [SeamAPI], those that only read first.
func Verbs() []string { return slices.Concat(readVerbs, writeVerbs) }
