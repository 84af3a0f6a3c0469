package run

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// Counts are the effects of a run: for each kind of effect, the number of successes on
// each subject.
type Counts map[string]map[string]int

// effective maps the operations that create or delete resources to their effect. Calls
// count on the side of the driver.
var effective = map[string]string{
	"DriverCreateBucket": "buckets created", "DriverDeleteBucket": "buckets deleted",
	"DriverGrantBucketAccess": "accesses granted", "DriverRevokeBucketAccess": "accesses revoked",
	"AdminCreateBucket": "buckets created in the store", "AdminDeleteBucket": "buckets deleted in the store",
	"AdminPutAccount": "accounts created in the store", "AdminDeleteAccount": "accounts deleted in the store",
	"create buckets": "Buckets created", "delete buckets": "Buckets deleted",
	"create secrets": "Secrets created", "delete secrets": "Secrets deleted",
}

// CountsOf counts operations that succeeded or may have succeeded. An operation whose
// response was lost may have reached the other side.
func CountsOf(events []journal.Event, n *Names) Counts {
	c := Counts{}
	for _, e := range events {
		effect, counts := effective[e.Operation.Name]
		if !counts || e.Failed() || e.Component == vocabulary.Administrator {
			continue
		}
		if c[effect] == nil {
			c[effect] = map[string]int{}
		}
		c[effect][n.In(n.Owner(e.Operation.Subject))]++
	}
	return c
}

// repeats is how many retries of an operation each fault allows. Retries of idempotent
// operations are correct; endless retries are not.
const repeats = 10

// Timeouts returns the number of calls to drivers that no fault concerns, but that had no answer in
// time. Such a call is repeated, with all its effects: the machine is too slow, and not the component
// too eager. A component that gives up early has no such excuse.
func Timeouts(events []journal.Event, limit time.Duration) int {
	total := 0
	for _, e := range events {
		// The limit begins shortly before the event.
		if e.Seam == journal.SeamRPC && e.Fault == "" && e.Outcome == codes.DeadlineExceeded.String() && e.Duration >= limit/2 {
			total++
		}
	}
	return total
}

// excesses returns effects on subjects that the clean run does not have, and effects that occurred
// too often for the number of faults and of timeouts.
func (c Counts) excesses(clean Counts, faults, timeouts int) []Difference {
	var found []Difference
	for _, effect := range slices.Sorted(maps.Keys(c)) {
		for _, subject := range slices.Sorted(maps.Keys(c[effect])) {
			times, usual := c[effect][subject], clean[effect][subject]
			name := effect + ": " + subject
			switch {
			case usual == 0 && !strings.Contains(effect, "delete") && !strings.Contains(effect, "revoke"):
				found = append(found, Difference{name, "not in the clean run"})
			case times > usual*(1+timeouts)+repeats*faults:
				found = append(found, Difference{name, fmt.Sprintf("%d times, %d in the clean run", times, usual)})
			}
		}
	}
	return found
}
