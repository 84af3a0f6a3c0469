package explore

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
)

// pairPoints are operations at which an interference and machine faults are tried.
func pairPoints() (told, written, called run.Point) {
	told = run.Point{Component: "sidecar", Seam: journal.SeamAPI, Operation: "event buckets", Subject: "bc-*", Nth: 1}
	written = run.Point{Component: "sidecar", Seam: journal.SeamAPI, Operation: "patch buckets", Subject: "bc-*", Nth: 1}
	called = run.Point{Component: "sidecar", Seam: journal.SeamRPC, Operation: "DriverCreateBucket", Subject: "bc-*", Nth: 1}
	return told, written, called
}

// pairRun is a run with an interference in its first operation, and three operations of a sidecar
// after it: an event, a write and a call. Each is repeated equally often.
func pairRun(first plan.Trial, repeated int) cause.Result {
	o := &run.Record{Names: run.NewNames("s"), Faults: []fault.Status{{Fault: plan.Case{first}.Faults()[0], Applied: 1}}}
	add := func(component, name string, seam journal.Seam) *journal.Event {
		o.Events = append(o.Events, journal.Event{
			Time: time.Unix(int64(len(o.Events)), 0), Component: component, Seam: seam, Outcome: journal.OutcomeOK,
			Operation: journal.Operation{Name: name, Subject: "bc-11111111-1111-1111-1111-111111111111"},
		})
		return &o.Events[len(o.Events)-1]
	}
	add("controller", "create buckets", journal.SeamAPI).Fault = o.Faults[0].Name
	for range repeated {
		told := add("sidecar", "event buckets", journal.SeamAPI)
		told.Outcome, told.Fault = "Delayed", run.Probe.Name
		add("sidecar", "patch buckets", journal.SeamAPI)
		add("sidecar", "DriverCreateBucket", journal.SeamRPC)
	}
	return cause.Result{Case: plan.Case{first}, Reached: true, Observed: o}
}

// TestMachineFaults verifies that interferences are combined only with a late watch, a restart
// before a write or a call, and an unavailable driver.
func TestMachineFaults(t *testing.T) {
	told, written, called := pairPoints()
	read := run.Point{Component: "sidecar", Seam: journal.SeamAPI, Operation: "get buckets", Subject: "bc-*", Nth: 1}
	inDriver := run.Point{Component: "driver", Seam: journal.SeamRPC, Operation: "DriverCreateBucket", Subject: "bc-*", Nth: 1}
	e := &explorer{options: Options{Interference: true, Pairs: true}}
	e.options.Emulator.RPCTimeout = plan.DefaultCallTimeout
	var got []string
	for _, trial := range e.machineFaults(told, written, called, read, inDriver) {
		got = append(got, trial.String())
	}
	slices.Sort(got)
	want := []string{
		"crash-before at sidecar api patch buckets bc-*", "crash-before at sidecar rpc DriverCreateBucket bc-*",
		"fail at sidecar rpc DriverCreateBucket bc-*", "stale at sidecar api event buckets bc-*",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestPairsWithInterference verifies that an interference and a kind of fault are tried once at
// equal operations, in either order, and that the name of the case has both parts.
func TestPairsWithInterference(t *testing.T) {
	flip := plan.Trial{
		Point:  run.Point{Component: "controller", Seam: journal.SeamAPI, Operation: "create buckets", Subject: "bc-*", Nth: 1},
		Kind:   plan.Kind(fault.FlipPolicy),
		Effect: fault.Effect{Interfere: fault.FlipPolicy, Object: "Bucket/bc-*"},
	}
	const first = "flip-policy Bucket/bc-* before controller api create buckets bc-* + "
	want := []string{
		first + "stale at sidecar api event buckets bc-*",
		first + "crash-before at sidecar api patch buckets bc-*",
		first + "crash-before at sidecar rpc DriverCreateBucket bc-*",
		first + "fail at sidecar rpc DriverCreateBucket bc-*",
		first + "stale from then on at sidecar api event buckets bc-* + fail at sidecar rpc DriverCreateBucket bc-*",
	}
	e := &explorer{options: Options{Interference: true, Pairs: true, Prune: plan.PruneStep}, seen: map[string]bool{}}
	e.options.Emulator.RPCTimeout = plan.DefaultCallTimeout
	e.pair(pairRun(flip, 1))
	if diff := cmp.Diff(want, pairNames(e)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if e.report.Pruned != 0 {
		t.Errorf("%d pruned, want none", e.report.Pruned)
	}
	e.pair(pairRun(flip, 1))
	if len(e.pairs) != len(want) || e.report.Pruned != len(want) {
		t.Errorf("%d pairs and %d pruned, want %d of each", len(e.pairs), e.report.Pruned, len(want))
	}
	other := flip
	other.Effect.After = true
	e.pair(pairRun(other, 1))
	if len(e.pairs) != 2*len(want) {
		t.Errorf("%d pairs with two different interferences, want %d", len(e.pairs), 2*len(want))
	}
}

// TestPairsOfOperations verifies that the same interference at another operation is another pair,
// and that a later event of the same object can be late separately.
func TestPairsOfOperations(t *testing.T) {
	flip := plan.Trial{
		Point:  run.Point{Component: "controller", Seam: journal.SeamAPI, Operation: "create buckets", Subject: "bc-*", Nth: 1},
		Kind:   plan.Kind(fault.FlipPolicy),
		Effect: fault.Effect{Interfere: fault.FlipPolicy, Object: "Bucket/bc-*"},
	}
	e := &explorer{options: Options{Interference: true, Pairs: true, Prune: plan.PruneStep}, seen: map[string]bool{}}
	e.options.Emulator.RPCTimeout = plan.DefaultCallTimeout
	run := pairRun(flip, lateEvents+1)
	e.pair(run)
	late := 0
	for _, c := range e.pairs {
		if c[1].Kind == plan.Stale && !c[1].Follows {
			late++
		}
	}
	if late != lateEvents {
		t.Errorf("%d late events, want %d: %q", late, lateEvents, pairNames(e))
	}
	once := len(e.pairs)
	run.Case[0].Point.Nth = 2
	e.pair(run)
	if len(e.pairs) != once {
		t.Errorf("%d pairs, want %d: the operation is the same", len(e.pairs), once)
	}
	run.Case[0].Point.Operation = "delete buckets"
	e.pair(run)
	if len(e.pairs) != 2*once {
		t.Errorf("%d pairs, want %d: the operation is another one", len(e.pairs), 2*once)
	}
}

// TestPairsAfterFault verifies that only interferences follow a machine fault.
func TestPairsAfterFault(t *testing.T) {
	crash := plan.Trial{
		Point: run.Point{Component: "controller", Seam: journal.SeamAPI, Operation: "create buckets", Subject: "bc-*", Nth: 1},
		Kind:  plan.CrashBefore, Effect: fault.Effect{Crash: fault.Before},
	}
	e := &explorer{options: Options{Interference: true, Pairs: true, Prune: plan.PruneStep}, seen: map[string]bool{}}
	e.options.Kinds = []plan.Kind{plan.Kind(fault.FlipPolicy)}
	run := pairRun(crash, 2)
	run.Observed.Events[0].Fault = run.Observed.Faults[0].Name
	e.pair(run)
	if len(e.pairs) == 0 || e.report.Pruned == 0 {
		t.Fatalf("%d pairs, %d pruned", len(e.pairs), e.report.Pruned)
	}
	for _, c := range e.pairs {
		if len(c) != 2 || c[0].Kind != plan.CrashBefore || !c[1].Interferes() {
			t.Errorf("not a fault and an interference: %s", c)
		}
	}
}

// TestLateView verifies that a failed call is paired with an interference that its component sees
// late, in either order. A fault of another kind is not.
func TestLateView(t *testing.T) {
	_, _, called := pairPoints()
	flip := plan.Trial{
		Point:  run.Point{Component: "controller", Seam: journal.SeamAPI, Operation: "create buckets", Subject: "bc-*", Nth: 1},
		Kind:   plan.Kind(fault.FlipPolicy),
		Effect: fault.Effect{Interfere: fault.FlipPolicy, Object: "Bucket/bc-*"},
	}
	ofClass := flip
	ofClass.Kind, ofClass.Effect = plan.Kind(fault.Delete), fault.Effect{Interfere: fault.Delete, Object: "BucketClass/standard"}
	ofClaim := flip
	ofClaim.Effect.Object = "BucketClaim/photos"
	failed := plan.Trial{Point: called, Kind: plan.Fail, Effect: fault.Effect{Fail: "Unavailable"}}
	crashed := plan.Trial{Point: called, Kind: plan.CrashBefore, Effect: fault.Effect{Crash: fault.Before}}
	e := &explorer{options: Options{Interference: true, Pairs: true}}
	e.options.Emulator.RPCTimeout = plan.DefaultCallTimeout
	const late = "stale from then on at sidecar api event buckets bc-*"
	for name, tt := range map[string]struct {
		first, second plan.Trial
		want          string
	}{
		"Before":    {flip, failed, flip.String() + " + " + late + " + " + failed.String()},
		"After":     {failed, flip, failed.String() + " + " + flip.String() + " + " + late},
		"Crash":     {crashed, flip, ""},
		"NoWatch":   {failed, ofClass, ""},
		"Unwatched": {failed, ofClaim, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := e.lateView(pairRun(flip, 1).Observed, tt.first, tt.second)
			if ok != (tt.want != "") || ok && got.String() != tt.want {
				t.Fatalf("%q, %t; want %q", got, ok, tt.want)
			}
			if !ok {
				return
			}
			faults := got.Faults()
			at := slices.IndexFunc(got, func(t plan.Trial) bool { return t.Follows })
			if faults[at].Since != faults[at-1].Name || faults[at-1].Interfere == "" || !faults[at].Optional {
				t.Errorf("%+v, want it to count from the interference, and to be optional", faults[at])
			}
		})
	}
}

// TestPruneOfPairs verifies that pairs are pruned by objects at least: the whole state differs
// after nearly every interference.
func TestPruneOfPairs(t *testing.T) {
	for prune, want := range map[plan.Prune]plan.Prune{
		plan.PruneState: plan.PruneObject, plan.PruneObject: plan.PruneObject, plan.PruneStep: plan.PruneStep,
	} {
		if got := (&explorer{options: Options{Prune: prune}}).pairPrune(); got != want {
			t.Errorf("%s: %s, want %s", prune, got, want)
		}
	}
}

func pairNames(e *explorer) []string {
	var all []string
	for _, c := range e.pairs {
		all = append(all, c.String())
	}
	return all
}
