package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
)

// TestEffects verifies that every effect of every point can be injected there.
func TestEffects(t *testing.T) {
	tests := map[string]struct {
		reason string
		point  run.Point
		want   []Kind
	}{
		"Write": {
			"An update can conflict.",
			run.Point{Component: "controller", Seam: journal.SeamAPI, Operation: "update secrets", Subject: "*/key", Nth: 1},
			[]Kind{CrashBefore, CrashAfter, Fail, Conflict, LoseReply, Delay, Duplicate},
		},
		"Read": {
			"A read can be stale.",
			run.Point{Component: "controller", Seam: journal.SeamAPI, Operation: "get secrets", Subject: "*/key", Nth: 1},
			[]Kind{CrashBefore, Fail, Delay, Stale},
		},
		"CallThatReads": {
			"A read has no effect that a crash could follow.",
			run.Point{Component: "sidecar", Seam: journal.SeamRPC, Operation: "DriverGetBucket", Subject: "b", Nth: 1},
			[]Kind{CrashBefore, Fail, Delay},
		},
		"Call": {
			"",
			run.Point{Component: "sidecar", Seam: journal.SeamRPC, Operation: "DriverCreateBucket", Subject: "bc-*", Nth: 1},
			[]Kind{CrashBefore, CrashAfter, Fail, LoseReply, Delay, Duplicate},
		},
		"Deletion": {
			"It must be retried, whatever the driver says.",
			run.Point{Component: "sidecar", Seam: journal.SeamRPC, Operation: "DriverDeleteBucket", Subject: "bc-*", Nth: 1},
			[]Kind{CrashBefore, CrashAfter, Fail, Reject, LoseReply, Delay, Duplicate},
		},
		"Backend": {
			"",
			run.Point{Component: "driver", Seam: journal.SeamStore, Operation: "AdminPutAccount", Subject: "ba-*", Nth: 1},
			[]Kind{CrashBefore, CrashAfter, Fail, LoseReply, Delay, Duplicate},
		},
		"S3": {
			"",
			run.Point{Component: "store", Seam: journal.SeamStore, Operation: "PutObject", Subject: "bc-*/hello", Nth: 1},
			[]Kind{CrashBefore, CrashAfter, Fail, LoseReply, Delay, Duplicate},
		},
		"Event": {
			"A late event makes the cache stale.",
			run.Point{Component: "sidecar", Seam: journal.SeamAPI, Operation: "event buckets", Subject: "bc-*", Nth: 2},
			[]Kind{Stale, CutWatch},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var kinds []Kind
			for _, trial := range TimingOf(DefaultCallTimeout).Trials([]run.Point{tc.point}, nil, "") {
				kinds = append(kinds, trial.Kind)
				f := fault.Fault{Name: "f", Match: trial.Point.Match(), Effect: trial.Effect}
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

// TestSelectedKinds verifies that effects which take long are tried only if they are selected, and not at reads or events.
func TestSelectedKinds(t *testing.T) {
	write := run.Point{Component: "controller", Seam: journal.SeamAPI, Operation: "create buckets", Subject: "bc-*", Nth: 1}
	read := run.Point{Component: "controller", Seam: journal.SeamAPI, Operation: "get buckets", Subject: "bc-*", Nth: 1}
	event := run.Point{Component: "sidecar", Seam: journal.SeamAPI, Operation: "event buckets", Subject: "bc-*", Nth: 2}
	request := run.Point{Component: "store", Seam: journal.SeamStore, Operation: "PutObject", Subject: "bc-*/hello", Nth: 1}
	var trials []string
	for _, trial := range TimingOf(DefaultCallTimeout).Trials([]run.Point{write, read, event, request}, SelectedKinds(), "*") {
		trials = append(trials, string(trial.Kind)+" "+trial.Point.Operation)
		f := fault.Fault{Name: "f", Match: trial.Point.Match(), Effect: trial.Effect}
		if err := f.Validate(); err != nil {
			t.Errorf("%s cannot be injected: %v", trial, err)
		}
	}
	want := []string{
		"lose-lease create buckets", "restart-apiserver create buckets", "restart-etcd create buckets",
		"restart-apiserver PutObject", "restart-etcd PutObject",
	}
	if diff := cmp.Diff(want, trials); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestLags has a controller that watches two resources, and a sidecar with a scenario's own fault on its events.
func TestLags(t *testing.T) {
	told := func(component, resource, fault string) journal.Event {
		return journal.Event{
			Component: component, Seam: journal.SeamAPI, Fault: fault,
			Operation: journal.Operation{Name: journal.EventPrefix + resource, Subject: "b"},
		}
	}
	created := told("controller", "", "")
	created.Operation.Name = "create buckets"
	clean := &run.Record{Names: run.NewNames("s"), Events: []journal.Event{
		told("controller", "buckets", run.Probe.Name), told("controller", "bucketclaims", run.Probe.Name),
		told("controller", "buckets", run.Probe.Name), created, told("sidecar", "buckets", "frozen"), told("sidecar", "secrets", run.Probe.Name),
	}}
	texts := func(trials []Trial) (all []string) {
		for _, t := range trials {
			all = append(all, t.String())
		}
		return all
	}
	lags := Lags(clean, nil, "*")
	want := []string{"lag of controller api * buckets", "lag of controller api * bucketclaims"}
	if diff := cmp.Diff(want, texts(lags)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if got := Lags(clean, []Kind{Fail}, "*"); len(got) > 0 {
		t.Errorf("without being selected: %v", got)
	}
	restarts := TimingOf(DefaultCallTimeout).Trials(run.PointsOf(clean.Events, clean.Names), []Kind{CrashBefore, LoseLease}, "*")
	var cases []string
	for _, c := range LateRestarts(append(lags[:1], restarts...)) {
		cases = append(cases, c.String())
	}
	want = []string{
		"lag of controller api * buckets + crash-before from then on at controller api create buckets b",
		"lag of controller api * buckets + lose-lease from then on at controller api create buckets b",
	}
	if diff := cmp.Diff(want, cases); diff != "" {
		t.Errorf("restarts while a resource lags: -want, +got:\n%s", diff)
	}
}
