package chart

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// LaneUser is the lane of the scenario itself.
const LaneUser = "user"

// laneAPIServer is the lane of the API server, with its outages and the requests that fail by a
// fault.
const laneAPIServer = "kube-apiserver"

// laneOf returns the lane of an event. The driver's administrative calls are in the lane of the
// store, where they take effect.
func laneOf(e journal.Event) string {
	if e.Seam == journal.SeamStore {
		return vocabulary.Store
	}
	return e.Component
}

// roles are the parts of COSI from top to bottom, as a request travels.
var roles = []string{LaneUser, vocabulary.Controller, vocabulary.Sidecar, vocabulary.Driver}

// role returns the part of COSI of a lane: "sidecar" for "sidecar.other".
func role(lane string) string {
	before, _, _ := strings.Cut(lane, ".")
	return before
}

// laneNames returns the lanes of a scenario in order: user, controller, each
// sidecar with its driver, everything else, and the store at the bottom.
func laneNames(s report.Scenario, also []string) []string {
	names := append([]string{LaneUser}, also...)
	for _, e := range s.Events {
		if name := laneOf(e); !slices.Contains(names, name) {
			names = append(names, name)
		}
		if e.Seam == journal.SeamAPI && !slices.Contains(names, laneAPIServer) {
			names = append(names, laneAPIServer)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(group(a), group(b)), cmp.Compare(suffix(a), suffix(b)), cmp.Compare(rank(a), rank(b)))
	})
	return names
}

// suffix distinguishes pairs of sidecar and driver.
func suffix(lane string) string { return strings.TrimPrefix(lane, role(lane)) }

func rank(lane string) int { return slices.Index(roles, role(lane)) }

func group(lane string) int {
	switch role(lane) {
	case LaneUser:
		return 0
	case vocabulary.Controller:
		return 1
	case vocabulary.Sidecar, vocabulary.Driver:
		return 2
	case vocabulary.Store:
		return 4
	default:
		return 3
	}
}

// Hue returns the class of a lane's colour.
func Hue(lane string) string {
	switch {
	case lane == laneAPIServer:
		return "apiserver"
	case lane == vocabulary.Store || slices.Contains(roles, role(lane)):
		return role(lane)
	default:
		return "other"
	}
}
