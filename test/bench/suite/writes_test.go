package suite

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/test/bench/scale"
)

// operation is an event that begins and ends at the given milliseconds.
func operation(begin, end int) journal.Event {
	return journal.Event{Time: instant(begin), Duration: time.Duration(end-begin) * time.Millisecond}
}

func instant(ms int) time.Time { return time.UnixMilli(int64(ms)) }

func TestChain(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		writes []journal.Event
		want   []int
	}{
		"One":        {"it waited for nothing", []journal.Event{operation(0, 1)}, []int{0}},
		"Sequential": {"each waited", []journal.Event{operation(0, 1), operation(1, 2), operation(5, 6)}, []int{0, 1, 2}},
		"Beside": {
			"the second write goes on while the third, which the last waits for, is over",
			[]journal.Event{operation(0, 1), operation(1, 9), operation(1, 4), operation(5, 6)},
			[]int{0, 2, 3},
		},
		"Latest": {
			"of two that are over, the last one to end was waited for",
			[]journal.Event{operation(0, 4), operation(1, 3), operation(5, 6)},
			[]int{0, 2},
		},
		"Instant": {"a write that took no time is not before itself", []journal.Event{operation(3, 3)}, []int{0}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, chain(c.writes)); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", c.reason, diff)
			}
		})
	}
}

func TestIsWriteFor(t *testing.T) {
	t.Parallel()
	claim := scale.NewClaim("shop", "photos", "standard")
	claim.UID = "1f4e"
	bucket := v1alpha2.BucketNameForClaim(claim.UID)
	cases := map[string]struct {
		reason, operation, subject, outcome string
		want                                bool
	}{
		"Claim":   {"its finalizer", "patch bucketclaims", "shop/photos", journal.OutcomeOK, true},
		"Status":  {"its status", "patch bucketclaims/status", "shop/photos", journal.OutcomeOK, true},
		"Bucket":  {"its Bucket", "create buckets", bucket, journal.OutcomeOK, true},
		"Read":    {"reads change nothing", "get bucketclaims", "shop/photos", journal.OutcomeOK, false},
		"Failed":  {"a rejected write changes nothing", "patch buckets", bucket, "Conflict", false},
		"Other":   {"another claim's", "patch bucketclaims", "shop/videos", journal.OutcomeOK, false},
		"Event":   {"Events are for people", "create events", "shop/photos.18e9", journal.OutcomeOK, false},
		"Account": {"an access has writes of its own", "patch bucketaccesses", "shop/photos", journal.OutcomeOK, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := journal.Event{
				Seam:      journal.SeamAPI,
				Operation: journal.Operation{Name: c.operation, Subject: c.subject},
				Outcome:   c.outcome,
			}
			if got := isWriteFor(e, claim); got != c.want {
				t.Errorf("%s: isWriteFor(%s) is %v", c.reason, e, got)
			}
		})
	}
}

func TestCovered(t *testing.T) {
	t.Parallel()
	whole := span{instant(10), instant(20)}
	cases := map[string]struct {
		reason string
		spans  []span
		want   time.Duration
	}{
		"None":  {"nothing covers nothing", nil, 0},
		"Apart": {"they add up", []span{{instant(15), instant(16)}, {instant(11), instant(12)}}, 2 * time.Millisecond},
		"Overlap": {
			"nothing counts twice",
			[]span{{instant(11), instant(14)}, {instant(12), instant(13)}, {instant(13), instant(15)}},
			4 * time.Millisecond,
		},
		"Sticking": {"what is outside does not count", []span{{instant(5), instant(11)}, {instant(19), instant(30)}}, 2 * time.Millisecond},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := covered(whole, c.spans); got != c.want {
				t.Errorf("%s: got %s, want %s", c.reason, got, c.want)
			}
		})
	}
}
