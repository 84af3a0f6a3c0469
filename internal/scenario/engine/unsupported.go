package engine

import (
	"fmt"
	"slices"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/requirements"
)

// A user's driver may leave out existing buckets, access modes, authentication by ServiceAccount, and accesses to
// several buckets. It says so in its answer to the calls that ask for them, and in no other way. A scenario that
// has failed because of such an answer could not run.

// optional are the methods whose answer can be that the driver has no such feature. Create, Delete and Revoke
// must work.
var optional = []string{"DriverGetBucket", "DriverGenerateBucketAccessId", "DriverGrantBucketAccess"}

// isUnsupported reports whether a code means that. InvalidArgument does if the scenario has a label for it.
func (r *run) isUnsupported(method, code string) bool {
	if !slices.Contains(optional, method) {
		return false
	}
	switch code {
	case codes.Unimplemented.String(), codes.OutOfRange.String():
		return true
	case codes.InvalidArgument.String():
		return slices.Contains([]string{"access-modes", "mode-categories"}, r.scenario.Labels[requirements.LabelBridge])
	default:
		return false
	}
}

// noteUnsupported remembers the answer to a call of a step. Steps can run in parallel.
func (r *run) noteUnsupported(method, code, message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.unsupported == "" && r.isUnsupported(method, code) {
		r.unsupported = fmt.Sprintf("%s -> %s: %s", method, code, message)
	}
}

// unsupportedFeature returns the reason to skip a scenario whose steps have failed because the user's driver lacks a
// feature, or "". Later findings of the clean-up and the oracles still fail the scenario.
func (r *run) unsupportedFeature() string {
	emu := r.engine.emulator
	hasOwnDriver := emu.Store() == nil && emu.Info().DriverEndpoint != ""
	broken := func(f outcome.Failure) bool { return f.Broken }
	if !hasOwnDriver || len(r.result.Failures) == 0 || slices.ContainsFunc(r.result.Failures, broken) {
		return ""
	}
	scope := r.ownScope()
	for _, e := range r.engine.journal.Since(r.result.From - 1) {
		if e.Seam == journal.SeamRPC && e.Failed() && e.Fault == "" && scope.Concerns(e) {
			r.noteUnsupported(e.Operation.Name, e.Outcome, e.Message)
		}
	}
	if r.unsupported == "" {
		return ""
	}
	return "the driver does not support what it requires: " + r.unsupported
}
