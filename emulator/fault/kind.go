package fault

import (
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// kind is one of the effects, and where it exists.
type kind struct {
	name  string
	given func(Effect) bool
	seams []journal.Seam
	// events says that it exists for the events of a watch, requests that it does
	// for everything else.
	events, requests bool
}

var (
	anySeam  = []journal.Seam{journal.SeamAPI, journal.SeamRPC, journal.SeamStore}
	andStart = append(slices.Clone(anySeam), journal.SeamProcess)
	onlyAPI  = []journal.Seam{journal.SeamAPI}
	callers  = []journal.Seam{journal.SeamAPI, journal.SeamRPC}
	onlyRPC  = []journal.Seam{journal.SeamRPC}
	store    = []journal.Seam{journal.SeamStore}
)

// kinds are all effects, delay last because it may stand beside another.
var kinds = []kind{
	{"fail", func(e Effect) bool { return e.Fail != "" }, andStart, false, true},
	{"loseReply", func(e Effect) bool { return e.LoseReply != "" }, anySeam, false, true},
	{"hang", func(e Effect) bool { return e.Hang }, anySeam, false, true},
	{"duplicate", func(e Effect) bool { return e.Duplicate }, anySeam, true, true},
	{"crash", func(e Effect) bool { return e.Crash != "" }, anySeam, true, true},
	{"outage", func(e Effect) bool { return e.Outage != "" }, anySeam, false, true},
	{"loseLease", func(e Effect) bool { return e.LoseLease != 0 }, callers, false, true},
	{"clock", func(e Effect) bool { return e.Clock != 0 }, andStart, false, true},
	{"stale", func(e Effect) bool { return e.Stale != 0 }, onlyAPI, false, true},
	{"drop", func(e Effect) bool { return e.Drop }, onlyAPI, true, false},
	{"closeWatch", func(e Effect) bool { return e.CloseWatch }, onlyAPI, true, false},
	{"freeze", func(e Effect) bool { return e.Freeze }, onlyAPI, true, true},
	{"set", func(e Effect) bool { return len(e.Set) > 0 }, onlyRPC, false, true},
	{"empty", func(e Effect) bool { return e.Empty }, onlyRPC, false, true},
	{"swap", func(e Effect) bool { return e.Swap }, onlyRPC, false, true},
	{"oversize", func(e Effect) bool { return e.Oversize != 0 }, onlyRPC, false, true},
	{"cut", func(e Effect) bool { return e.Cut != 0 }, store, false, true},
	{"flip", func(e Effect) bool { return e.Flip != 0 }, store, false, true},
	{"cutUpload", func(e Effect) bool { return e.CutUpload != 0 }, store, false, true},
	{"flipUpload", func(e Effect) bool { return e.FlipUpload != 0 }, store, false, true},
	{"delay", func(e Effect) bool { return e.Delay != 0 }, andStart, true, true},
}

// Effects returns the names of the effects that exist at a seam.
func Effects(seam journal.Seam) []string {
	var names []string
	for _, k := range kinds {
		if slices.Contains(k.seams, seam) {
			names = append(names, k.name)
		}
	}
	return names
}

// kindOf returns the one effect that is given; delay only if it is alone.
func kindOf(e Effect) (kind, bool) {
	for _, k := range kinds {
		if k.given(e) {
			return k, true
		}
	}
	return kind{}, false
}

// about reports whether an effect on reads is about a request of this name.
func (e Effect) about(operation string) bool {
	var verbs []string
	switch {
	case e.Freeze:
		verbs = []string{"list ", "watch "}
	case e.Stale != 0:
		verbs = stales
	default:
		return true
	}
	return slices.ContainsFunc(verbs, func(verb string) bool { return strings.HasPrefix(operation, verb) })
}

// stales is how the requests begin that can be answered with the past.
var stales = []string{"get ", "list "}

// suits reports whether a crossing is one that the effect is meant for: requests,
// unless events are asked for or the effect exists for nothing else.
func (f Fault) suits(k kind, c Crossing) bool {
	if !c.event() {
		return k.requests && f.Effect.about(c.Operation)
	}
	return k.events && (!k.requests || f.Effect.Freeze || strings.HasPrefix(f.Match.Operation, journal.EventPrefix))
}
