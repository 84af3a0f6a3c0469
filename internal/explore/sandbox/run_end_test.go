package sandbox

import (
	"errors"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// TestStartStopped verifies that a run is judged while every component works, however it has ended.
func TestStartStopped(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a control plane")
	}
	w := interferenceSandbox(t)
	sidecar := w.Emulator.Component(emulator.ComponentSidecar)
	for name, end := range map[string]func() error{
		"running": func() error { return nil },
		"stopped": func() error { return sidecar.Stop(t.Context()) },
		"crashed": sidecar.Crash,
	} {
		t.Run(name, func(t *testing.T) {
			if err := errors.Join(end(), w.startStopped(t.Context())); err != nil {
				t.Fatal(err)
			}
			if !w.isRunning() {
				t.Errorf("components: %+v, want them to run", w.Emulator.Info().Components)
			}
		})
	}
}

func TestEarlyExitAfter(t *testing.T) {
	crash := fault.Fault{Effect: fault.Effect{Crash: fault.After}}
	cut := fault.Fault{Match: fault.Match{Operation: "event buckets"}, Effect: fault.Effect{CloseWatch: true}}
	fail := fault.Fault{Match: fault.Match{Operation: "DriverCreateBucket"}, Effect: fault.Effect{Fail: "Unavailable"}}
	for _, test := range []struct {
		name, reason string
		faults       []fault.Fault
		usual, want  time.Duration
	}{
		{"quick", "at least as long as the delay between retries", []fault.Fault{fail}, time.Millisecond, quietForSure},
		{"slow machine", "as long as a clean run takes", []fault.Fault{fail}, time.Second, time.Second},
		{"very slow", "at most maxEarlyExit", []fault.Fault{fail}, time.Minute, maxEarlyExit},
		{"crash", "a restarting component is idle for a while", []fault.Fault{fail, crash}, time.Millisecond, rejoinTime},
		{"cut watch", "a closed watch is idle until it restarts", []fault.Fault{cut}, time.Millisecond, rejoinTime},
		{"no fault", "the clean run", nil, time.Millisecond, quietForSure},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := earlyExitAfter(test.faults, test.usual); got != test.want {
				t.Errorf("%s, want %s: %s", got, test.want, test.reason)
			}
		})
	}
}

func TestProgressed(t *testing.T) {
	start := time.Now().Add(-time.Hour)
	at := func(second int, name, outcome string) journal.Event {
		return journal.Event{
			Time: start.Add(time.Duration(second) * time.Second), Component: "sidecar", Seam: journal.SeamRPC,
			Operation: journal.Operation{Name: name, Subject: "b"}, Outcome: outcome,
		}
	}
	failed := func(from, n int) (all []journal.Event) {
		for i := range n {
			all = append(all, at(from+i, "DriverDeleteBucket", "Internal"))
		}
		return all
	}
	create := at(1, "DriverCreateBucket", journal.OutcomeOK)
	for _, test := range []struct {
		name, reason     string
		events, underWay []journal.Event
		want             int // seconds; -1: now
	}{
		{"success", "a success is progress", []journal.Event{create}, nil, 1},
		{"first failures", "another attempt may help", append(failed(2, failureLimit-1), create), nil, failureLimit},
		{"many failures", "another attempt does not help", append([]journal.Event{create}, failed(2, 10)...), nil, failureLimit},
		{"told", "a Kubernetes Event is not progress", []journal.Event{create, at(9, "patch events", journal.OutcomeOK)}, nil, 1},
		{"late success", "a success is progress", append(failed(2, 10), at(20, "DriverDeleteBucket", journal.OutcomeOK)), nil, 20},
		{"pending", "a pending operation may be progress", []journal.Event{create}, []journal.Event{at(30, "DriverDeleteBucket", "")}, -1},
		{"pending failure", "this operation has always failed", failed(2, 10), []journal.Event{at(30, "DriverDeleteBucket", "")}, failureLimit},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := time.Now()
			got := progressed(test.events, test.underWay)
			if test.want < 0 {
				if got.Before(before) {
					t.Errorf("%s before it was asked, want now: %s", before.Sub(got), test.reason)
				}
			} else if want := start.Add(time.Duration(test.want) * time.Second); !got.Equal(want) {
				t.Errorf("%s after the start, want %d s: %s", got.Sub(start), test.want, test.reason)
			}
		})
	}
}
