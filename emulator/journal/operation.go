package journal

import "slices"

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

// Verbs returns the verbs of requests at [SeamAPI], reading ones first.
func Verbs() []string { return slices.Concat(readVerbs, writeVerbs) }
