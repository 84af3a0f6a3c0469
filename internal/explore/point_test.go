package explore

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

const someUID = "11111111-2222-3333-4444-555555555555"

func event(component string, seam journal.Seam, operation, subject string, at int) journal.Event {
	return journal.Event{
		Seq: uint64(at) + 1, Time: time.Unix(int64(at), 0), Component: component, Seam: seam, //nolint:gosec // small
		Operation: journal.Operation{Name: operation, Subject: subject}, Outcome: journal.OutcomeOK,
	}
}

func TestPattern(t *testing.T) {
	tests := map[string]struct{ reason, name, want string }{
		"Namespace": {"The namespace differs from run to run.", "explore/photos", "*/photos"},
		"UID":       {"It differs from run to run.", "bc-" + someUID, "bc-*"},
		"Event":     {"The name of an Event ends with the time.", "explore/photos.18ea14bd42efda7f", "*/photos.*"},
		"Both":      {"Adjacent stars are merged.", "default/bc-" + someUID + ".18ea14bd42efda7f", "default/bc-*.*"},
		"Scope":     {"The engine numbers scopes.", "sidecar.one.story-12", "sidecar.one.*"},
		"Plain":     {"", "bc-story", "bc-story"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := newNames("story").pattern(tc.name); got != tc.want {
				t.Errorf("%s got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

func TestPoints(t *testing.T) {
	events := []journal.Event{
		event("sidecar", journal.SeamRPC, "DriverCreateBucket", "bc-"+someUID, 3), // ended first, began last
		event("controller", journal.SeamAPI, "patch bucketclaims", "explore/a", 1),
		event("controller", journal.SeamLog, "info", "", 1),
		event("controller", journal.SeamAPI, "get /apis", "", 1),
		event("controller", journal.SeamAPI, "patch bucketclaims", "explore/b", 2),
		event("controller", journal.SeamAPI, "patch bucketclaims", "explore/a", 4),
		event("controller", journal.SeamProcess, "crash", "", 5),
		event("controller", journal.SeamAPI, "patch bucketclaims", "explore/a", 6),
		event("controller", journal.SeamAPI, "patch bucketclaims", "explore/a", 7),
	}
	events[7].Fault, events[8].Fault = "of-the-scenario", probe.Name
	want := []Point{
		{"controller", journal.SeamAPI, "patch bucketclaims", "*/a", 1},
		{"controller", journal.SeamAPI, "patch bucketclaims", "*/b", 1},
		{"sidecar", journal.SeamRPC, "DriverCreateBucket", "bc-*", 1},
		{"controller", journal.SeamAPI, "patch bucketclaims", "*/a", 2},
		{"controller", journal.SeamAPI, "patch bucketclaims", "*/a", 4},
	}
	if diff := cmp.Diff(want, pointsOf(events, newNames("story"))); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestEffects verifies that every effect of every point can be injected there.
func TestEffects(t *testing.T) {
	tests := map[string]struct {
		reason string
		point  Point
		want   []Kind
	}{
		"Write": {
			"An update can conflict.", Point{"controller", journal.SeamAPI, "update secrets", "*/key", 1},
			[]Kind{CrashBefore, CrashAfter, Fail, Conflict, LoseReply, Delay, Duplicate},
		},
		"Read": {
			"A read can be stale.", Point{"controller", journal.SeamAPI, "get secrets", "*/key", 1},
			[]Kind{CrashBefore, Fail, Delay, Stale},
		},
		"CallThatReads": {
			"A read has no effect that a crash could follow.", Point{"sidecar", journal.SeamRPC, "DriverGetBucket", "b", 1},
			[]Kind{CrashBefore, Fail, Delay},
		},
		"Call": {
			"", Point{"sidecar", journal.SeamRPC, "DriverCreateBucket", "bc-*", 1},
			[]Kind{CrashBefore, CrashAfter, Fail, LoseReply, Delay, Duplicate},
		},
		"Deletion": {
			"It must be retried, whatever the driver says.", Point{"sidecar", journal.SeamRPC, "DriverDeleteBucket", "bc-*", 1},
			[]Kind{CrashBefore, CrashAfter, Fail, Reject, LoseReply, Delay, Duplicate},
		},
		"Backend": {
			"", Point{"driver", journal.SeamStore, "AdminPutAccount", "ba-*", 1},
			[]Kind{CrashBefore, CrashAfter, Fail, LoseReply, Delay, Duplicate},
		},
		"S3": {
			"", Point{"store", journal.SeamStore, "PutObject", "bc-*/hello", 1},
			[]Kind{CrashBefore, CrashAfter, Fail, LoseReply, Delay, Duplicate},
		},
		"Event": {
			"A late event makes the cache stale.", Point{"sidecar", journal.SeamAPI, "event buckets", "bc-*", 2},
			[]Kind{Stale, CutWatch},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var kinds []Kind
			for _, trial := range timingOf(DefaultCallTimeout).trials([]Point{tc.point}, nil, "") {
				kinds = append(kinds, trial.Kind)
				f := fault.Fault{Name: "f", Match: trial.Point.match(), Effect: trial.Effect}
				if err := f.Validate(); err != nil {
					t.Errorf("%s cannot be injected: %v", trial, err)
				}
			}
			if diff := cmp.Diff(tc.want, kinds); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRandomCases(t *testing.T) {
	trials := timingOf(DefaultCallTimeout).trials([]Point{{"sidecar", journal.SeamRPC, "DriverCreateBucket", "bc-*", 1}}, nil, "")
	few, many, other := randomCases(trials, 5, 1), randomCases(trials, 50, 1), randomCases(trials, 50, 2)
	if diff := cmp.Diff(few, many[:5]); diff != "" {
		t.Errorf("the first cases differ: %s", diff)
	}
	without := randomCases(trials[1:], 50, 1)
	for i, c := range many {
		if !slices.ContainsFunc(c, func(t Trial) bool { return cmp.Equal(t, trials[0]) }) && !cmp.Equal(c, without[i]) {
			t.Errorf("%s is selected instead of %s, because another trial is missing", without[i], c)
		}
	}
	if cmp.Equal(many, other) {
		t.Error("another seed selects the same cases")
	}
	for _, c := range many {
		if len(c) < 2 || len(c) > 3 || c[0].String() == c[1].String() {
			t.Errorf("%s: want two or three different faults", c)
		}
	}
}

// TestOpen verifies that events after the last step are not open to faults.
func TestOpen(t *testing.T) {
	last := event("controller", journal.SeamAPI, "patch bucketclaims", "explore/a", 2)
	first := event("controller", journal.SeamAPI, "get bucketclaims", "explore/a", 1)
	o := &runResult{events: []journal.Event{last, first, event("controller", journal.SeamAPI, "delete buckets", "b", 3)}}
	if diff := cmp.Diff(inOrder(o.events), o.open()); diff != "" {
		t.Errorf("a run that has not ended: -want, +got:\n%s", diff)
	}
	o.ended = last.Time
	if diff := cmp.Diff([]journal.Event{first, last}, o.open()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
