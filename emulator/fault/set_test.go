package fault_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// anAPI is an operation of the api seam.
func anAPI(component, operation, subject string) fault.Operation {
	return fault.Operation{Seam: journal.SeamAPI, Component: component, Operation: operation, Subject: subject}
}

var hang = fault.Effect{Hang: true}

// applied returns to which of n equal operations a fault applies, from 1.
func applied(s *fault.Set, c fault.Operation, n int) []int {
	var which []int
	for i := range n {
		if a := s.At(c); a != nil && !a.RecordOnly {
			which = append(which, i+1)
		}
	}
	return which
}

func TestSetCounts(t *testing.T) {
	tests := map[string]struct {
		reason string
		match  fault.Match
		effect fault.Effect
		want   []int
	}{
		"All":        {reason: "Without counts, every one.", want: []int{1, 2, 3, 4, 5, 6, 7}},
		"Nth":        {reason: "Only that one.", match: fault.Match{Nth: 3}, want: []int{3}},
		"NthTimes":   {reason: "From that one on, so many.", match: fault.Match{Nth: 3, Times: 2}, want: []int{3, 4}},
		"Every":      {reason: "Every so many-th.", match: fault.Match{Every: 3}, want: []int{3, 6}},
		"NthEvery":   {reason: "From there on.", match: fault.Match{Nth: 2, Every: 3}, want: []int{2, 5}},
		"EveryTimes": {reason: "Not more than so often.", match: fault.Match{Every: 2, Times: 2}, want: []int{2, 4}},
		"Times":      {reason: "The first ones.", match: fault.Match{Times: 2}, want: []int{1, 2}},
		"Swap":       {reason: "The first has nothing to swap with.", effect: fault.Effect{Swap: true}, want: []int{2, 3, 4, 5, 6, 7}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			set, f := fault.NewSet(), fault.Fault{Name: "f", Match: tc.match, Effect: tc.effect}
			f.Match.Seam = journal.SeamRPC
			if tc.effect.String() == "none" {
				f.Effect = hang
			}
			if err := set.Add(f); err != nil {
				t.Fatal(err)
			}
			got := applied(set, fault.Operation{Seam: journal.SeamRPC, Component: "sidecar", Operation: "DriverGetInfo"}, 7)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
			want := []fault.Status{{Fault: f, Matched: 7, Applied: len(tc.want)}}
			if diff := cmp.Diff(want, set.List(), cmpopts.IgnoreFields(fault.Status{}, "Added")); diff != "" {
				t.Errorf("List() -want, +got:\n%s", diff)
			}
		})
	}
}

// TestAddFallback has a fault step back from every other one, and not make up for it.
func TestAddFallback(t *testing.T) {
	set := fault.NewSet()
	add := func(add func(fault.Fault) error, name string, match fault.Match) {
		t.Helper()
		match.Seam = journal.SeamAPI
		if err := add(fault.Fault{Name: name, Match: match, Effect: hang}); err != nil {
			t.Fatal(err)
		}
	}
	add(set.AddFallback, "second", fault.Match{Nth: 2})
	add(set.AddFallback, "fourth", fault.Match{Nth: 4})
	add(set.Add, "until three", fault.Match{Nth: 2, Times: 2})
	var got []string
	for range 5 {
		applied := "nothing"
		if a := set.At(anAPI("controller", "update buckets/status", "b-1")); a != nil {
			applied = a.Name
		}
		got = append(got, applied)
	}
	if diff := cmp.Diff([]string{"nothing", "until three", "until three", "fourth", "nothing"}, got); diff != "" {
		t.Errorf("the faults of five operations, -want, +got:\n%s", diff)
	}
	var counts [][2]int
	for _, s := range set.List() {
		counts = append(counts, [2]int{s.Matched, s.Applied})
	}
	if diff := cmp.Diff([][2]int{{5, 2}, {5, 0}, {5, 1}}, counts); diff != "" {
		t.Errorf("how often it matched and was applied, -want, +got:\n%s", diff)
	}
}

func TestSetMatches(t *testing.T) {
	update := anAPI("controller", "update buckets/status", "b-1")
	event := anAPI("controller", "event buckets", "b-1")
	serving := fault.Operation{Seam: journal.SeamRPC, Component: "driver", Operation: "DriverGetInfo", Serving: true}
	tests := map[string]struct {
		reason    string
		match     fault.Match
		effect    fault.Effect
		operation fault.Operation
		want      bool
	}{
		"Any":       {reason: "Empty patterns match all.", effect: hang, operation: update, want: true},
		"OtherSeam": {reason: "Not at another seam.", match: fault.Match{Seam: journal.SeamStore}, effect: hang, operation: update},
		"Component": {reason: "Not of another component.", match: fault.Match{Component: "sidecar"}, effect: hang, operation: update},
		"Stars":     {reason: "Several stars.", match: fault.Match{Operation: "*date*/st*"}, effect: hang, operation: update, want: true},
		"StarIsNothing": {
			reason: "A star may be nothing.", match: fault.Match{Operation: "update buckets/status*"}, effect: hang, operation: update,
			want: true,
		},
		"Whole":   {reason: "The whole name.", match: fault.Match{Operation: "update buckets"}, effect: hang, operation: update},
		"EndOnce": {reason: "Begin and end may not overlap.", match: fault.Match{Subject: "b-1*-1"}, effect: hang, operation: update},
		"Subject": {reason: "Not another object.", match: fault.Match{Subject: "b-2"}, effect: hang, operation: update},
		"NoEvent": {reason: "Events are not requests.", effect: fault.Effect{Delay: 1}, operation: event},
		"Event": {
			reason: "Events that are asked for.", match: fault.Match{Operation: "event *"}, effect: fault.Effect{Delay: 1},
			operation: event, want: true,
		},
		"Drop":          {reason: "Only events can be dropped.", effect: fault.Effect{Drop: true}, operation: event, want: true},
		"DropNoRequest": {reason: "Requests cannot be dropped.", effect: fault.Effect{Drop: true}, operation: update},
		"Freeze":        {reason: "Events are held.", effect: fault.Effect{Freeze: true}, operation: event, want: true},
		"FreezeList": {
			reason: "Lists are of the past.", effect: fault.Effect{Freeze: true}, operation: anAPI("c", "list buckets", ""), want: true,
		},
		"FreezeNoUpdate": {reason: "Writes go on.", effect: fault.Effect{Freeze: true}, operation: update},
		"Lag":            {reason: "Events are held for a while.", effect: fault.Effect{Lag: true}, operation: event, want: true},
		"LagList":        {reason: "Lists lag, too.", effect: fault.Effect{Lag: true}, operation: anAPI("c", "list buckets", ""), want: true},
		"LagNoUpdate":    {reason: "Writes go on.", effect: fault.Effect{Lag: true}, operation: update},
		"Serving": {
			reason: "Without a component, the caller's side.", match: fault.Match{Seam: journal.SeamRPC}, effect: hang,
			operation: serving,
		},
		"Server": {
			reason: "The driver's side by its name.", match: fault.Match{Seam: journal.SeamRPC, Component: "driver*"}, effect: hang,
			operation: serving, want: true,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			set := fault.NewSet()
			if tc.match.Seam == "" {
				tc.match.Seam = journal.SeamAPI
			}
			if err := set.Add(fault.Fault{Name: "f", Match: tc.match, Effect: tc.effect}); err != nil {
				t.Fatal(err)
			}
			if got := set.At(tc.operation) != nil; got != tc.want {
				t.Errorf("%s At(%v) = %t, want %t", tc.reason, tc.operation, got, tc.want)
			}
		})
	}
}

func TestSetFirstApplies(t *testing.T) {
	set := fault.NewSet()
	add(t, set, fault.Fault{Name: "one", Match: fault.Match{Seam: journal.SeamAPI, Nth: 2}, Effect: hang})
	add(t, set, fault.Fault{Name: "two", Match: fault.Match{Seam: journal.SeamAPI}, Effect: hang})
	var got []string
	for range 3 {
		got = append(got, set.At(anAPI("c", "get buckets", "b")).Name)
	}
	if diff := cmp.Diff([]string{"two", "one", "two"}, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestSetMarks(t *testing.T) {
	set, get := fault.NewSet(), anAPI("c", "get buckets", "b")
	set.Mark("begin") // before the fault is there: another time
	match := fault.Match{Seam: journal.SeamAPI, Nth: 2, Times: 9, Since: "begin", Until: "end"}
	add(t, set, fault.Fault{Name: "f", Match: match, Effect: hang})
	set.Mark("end")
	before := applied(set, get, 3)
	set.Mark("begin")
	between := applied(set, get, 3)
	set.Mark("end")
	after := applied(set, get, 3)
	if diff := cmp.Diff([][]int{nil, {2, 3}, nil}, [][]int{before, between, after}); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestSetMarksOfFaults: a fault counts from the first application of another, whose own operation
// it does not count.
func TestSetMarksOfFaults(t *testing.T) {
	set, get := fault.NewSet(), anAPI("c", "get buckets", "b")
	add(t, set, fault.Fault{Name: "after", Match: fault.Match{Seam: journal.SeamAPI, Nth: 1, Since: "first"}, Effect: hang})
	add(t, set, fault.Fault{Name: "first", Match: fault.Match{Seam: journal.SeamAPI, Nth: 3, Every: 2}, Effect: hang})
	add(t, set, fault.Fault{Name: "before", Match: fault.Match{Seam: journal.SeamAPI, Until: "first"}, Effect: hang})
	var got []string
	for range 6 {
		name := ""
		if by := set.At(get); by != nil {
			name = by.Name
		}
		got = append(got, name)
	}
	if diff := cmp.Diff([]string{"before", "before", "first", "after", "first", ""}, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestSetAsOf has a fault name the moment of another, which must be there, and has none before that is applied.
func TestSetAsOf(t *testing.T) {
	set := fault.NewSet()
	past := fault.Fault{Name: "past", Match: fault.Match{Seam: journal.SeamAPI}, Effect: fault.Effect{Lag: true, AsOf: "early"}}
	if err := set.Add(past); !errors.Is(err, fault.ErrUnknown) || !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("without the fault early: %v, want ErrUnknown, and ErrInvalid", err)
	}
	early := fault.Fault{Name: "early", Match: fault.Match{Seam: journal.SeamRPC}, Effect: fault.Effect{Hang: true}}
	if err := errors.Join(set.Add(early), set.Add(past)); err != nil {
		t.Fatal(err)
	}
	list := anAPI("c", "list buckets", "")
	if moment := set.At(list).Moment(); !moment.IsZero() {
		t.Errorf("the moment is %v before it has come", moment)
	}
	before := time.Now()
	set.At(fault.Operation{Seam: journal.SeamRPC, Component: "c", Operation: "DriverCreateBucket"})
	first := set.At(list).Moment()
	if first.Before(before) {
		t.Errorf("the moment is %v, want one after %v", first, before)
	}
	set.At(fault.Operation{Seam: journal.SeamRPC, Component: "c", Operation: "DriverCreateBucket"})
	if second := set.At(list).Moment(); !second.Equal(first) {
		t.Errorf("the moment is %v after another operation, want the first one, %v", second, first)
	}
}

func TestSetFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set, get := fault.NewSet(), anAPI("c", "get buckets", "b")
		add(t, set, fault.Fault{Name: "f", Match: fault.Match{Seam: journal.SeamAPI, For: time.Minute}, Effect: hang})
		time.Sleep(time.Hour) //nolint:forbidigo // the bubble's time
		if set.At(get) == nil {
			t.Error("the time begins when the fault is first applied")
		}
		time.Sleep(time.Minute - 1) //nolint:forbidigo // the bubble's time
		if set.At(get) == nil {
			t.Error("it has ended too early")
		}
		time.Sleep(time.Nanosecond) //nolint:forbidigo // the bubble's time
		if set.At(get) != nil {
			t.Error("it has not ended")
		}
	})
}

func TestSetRemove(t *testing.T) {
	set, get := fault.NewSet(), anAPI("c", "get buckets", "b")
	f := fault.Fault{Name: "f", Match: fault.Match{Seam: journal.SeamAPI}, Effect: hang}
	add(t, set, f)
	if err := set.Add(f); !errors.Is(err, fault.ErrDuplicate) {
		t.Errorf("the same name again: %v, want ErrDuplicate", err)
	}
	hung := set.At(get)
	if err := set.Remove("f"); err != nil {
		t.Fatal(err)
	}
	<-hung.Done()
	if err := set.Remove("f"); !errors.Is(err, fault.ErrUnknown) {
		t.Errorf("a fault that is gone: %v, want ErrUnknown", err)
	}
	add(t, set, f)
	hung = set.At(get)
	set.Clear()
	<-hung.Done()
	if set.At(get) != nil || set.Active() || len(set.List()) != 0 {
		t.Error("there are faults after Clear")
	}
}

func add(t *testing.T, set *fault.Set, f fault.Fault) {
	t.Helper()
	if err := set.Add(f); err != nil {
		t.Fatal(err)
	}
}
