package sandbox

import (
	"context"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/scenario/idle"
)

// TestQuietWithoutSidecar verifies that a run does not wait for a component that a step has stopped, and
// waits for one that a fault has ended.
func TestQuietWithoutSidecar(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a control plane")
	}
	w := interferenceSandbox(t)
	sidecar := w.Emulator.Component(emulator.ComponentSidecar)
	for name, tc := range map[string]struct {
		end   func() error
		quiet bool
	}{
		"stopped": {func() error { return sidecar.Stop(t.Context()) }, true},
		"crashed": {sidecar.Crash, false},
	} {
		t.Run(name, func(t *testing.T) {
			if err := tc.end(); err != nil {
				t.Fatal(err)
			}
			patience := time.Minute
			if !tc.quiet {
				patience = quietForSure
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			if quiet := w.waitQuiet(ctx, idle.New(w.Emulator), quietAtOnce); quiet != tc.quiet {
				t.Errorf("quiet: %t, want %t", quiet, tc.quiet)
			}
			if err := sidecar.Start(t.Context()); err != nil {
				t.Fatal(err)
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
