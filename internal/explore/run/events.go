package run

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// InOrder sorts events by start time. The journal sorts them by end time.
func InOrder(events []journal.Event) []journal.Event {
	sorted := slices.Clone(events)
	slices.SortStableFunc(sorted, func(a, b journal.Event) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Nth, b.Nth))
	})
	return sorted
}

// IsProgress reports whether an event can be progress. Writes of Kubernetes Events
// cannot.
func IsProgress(e journal.Event) bool {
	return e.Changes() && !strings.HasSuffix(e.Operation.Name, " events")
}

// KindOf maps the resources that a run changes to the kinds of their objects.
var KindOf = map[string]string{
	"bucketclaims": "BucketClaim", "bucketaccesses": "BucketAccess", "buckets": "Bucket", "secrets": "Secret",
}

// Probe makes the journal record watch events. The delay is negligible.
var Probe = fault.Fault{
	Name: "probe", Match: fault.Match{Seam: journal.SeamAPI, Operation: journal.EventPrefix + "*"}, Effect: fault.Effect{Delay: 1},
}
