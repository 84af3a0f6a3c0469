package journal_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

var create = journal.Operation{Name: "create buckets", Subject: "b"}

func record(j *journal.Journal, component string, op journal.Operation) journal.Event {
	e := j.Begin(component, 1, journal.SeamAPI, op)
	e.Outcome = journal.OutcomeOK
	return j.Append(e)
}

func TestNumbering(t *testing.T) {
	j := journal.New(journal.Options{})
	type numbers struct {
		Seq uint64
		Nth int
	}
	var got []numbers
	for _, step := range []struct {
		component string
		op        journal.Operation
	}{
		{"controller", create},
		{"controller", journal.Operation{Name: "create buckets", Subject: "other"}},
		{"controller", journal.Operation{Name: "update buckets", Subject: "b"}},
		{"sidecar", create},
		{"controller", create},
	} {
		e := record(j, step.component, step.op)
		got = append(got, numbers{e.Seq, e.Nth})
	}
	want := []numbers{{1, 1}, {2, 2}, {3, 1}, {4, 1}, {5, 3}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Nth counts operations of one name of one component; -want, +got:\n%s", diff)
	}
}

func TestSince(t *testing.T) {
	tests := map[string]struct {
		reason   string
		maxBytes int
		since    uint64
		want     []uint64
	}{
		"All":     {reason: "0 is the beginning.", since: 0, want: []uint64{1, 2, 3, 4, 5}},
		"Middle":  {reason: "The event of the mark itself is not repeated.", since: 3, want: []uint64{4, 5}},
		"End":     {reason: "Nothing is new.", since: 5, want: nil},
		"Beyond":  {reason: "A mark of the future has nothing after it.", since: 99, want: nil},
		"Dropped": {reason: "What was dropped is not invented.", maxBytes: 600, since: 0, want: []uint64{4, 5}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			j := journal.New(journal.Options{MaxBytes: tc.maxBytes})
			for range 5 {
				record(j, "controller", create)
			}
			var got []uint64
			for _, e := range j.Since(tc.since) {
				got = append(got, e.Seq)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestFollow(t *testing.T) {
	j := journal.New(journal.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	record(j, "controller", create)

	var writers sync.WaitGroup
	const more = 50
	for range more {
		writers.Go(func() { record(j, "sidecar", create) })
	}
	next := uint64(1)
	for e := range j.Follow(ctx, 0) {
		if e.Seq != next {
			t.Fatalf("event %d follows %d", e.Seq, next-1)
		}
		next++
		if next == more+2 {
			cancel()
		}
	}
	writers.Wait()
	if next != more+2 {
		t.Errorf("followed %d events, want %d", next-1, more+1)
	}
}

func TestSink(t *testing.T) {
	var sink bytes.Buffer
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	j := journal.New(journal.Options{Sink: &sink, Now: func() time.Time { return now }, MaxBytes: 1})
	var want []journal.Event
	for range 3 {
		want = append(want, record(j, "controller", create))
	}
	var got []journal.Event
	decoder := json.NewDecoder(&sink)
	for decoder.More() {
		var e journal.Event
		if err := decoder.Decode(&e); err != nil {
			t.Fatal(err)
		}
		got = append(got, e)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the sink has every event, also those dropped from memory; -want, +got:\n%s", diff)
	}
}

var errFull = errors.New("disk full")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestSinkFails(t *testing.T) {
	j := journal.New(journal.Options{Sink: fullDisk{}})
	record(j, "controller", create)
	record(j, "controller", create)
	if !errors.Is(j.Err(), errFull) {
		t.Errorf("Err() = %v, want the error of the sink", j.Err())
	}
	if got := len(j.Since(0)); got != 2 {
		t.Errorf("%d events kept, want 2: a full disk must not lose the journal in memory", got)
	}
}

func TestLogger(t *testing.T) {
	j := journal.New(journal.Options{})
	log := j.Logger("sidecar", 2, 0)
	log.WithName("bucket").Info("provisioned", "bucket", "bc-1")
	log.V(1).Info("too detailed")
	log.Error(errFull, "cannot write")
	var got []string
	for _, e := range j.Since(0) {
		got = append(got, string(e.Seam)+" "+e.Operation.Name+" "+e.Message)
	}
	want := []string{
		`log info bucket: "msg"="provisioned" "bucket"="bc-1"`,
		`log error "msg"="cannot write" "error"="disk full"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestEventString(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)
	tests := map[string]struct {
		event journal.Event
		want  string
	}{
		"API": {
			event: journal.Event{
				Time: at, Component: "controller", Seam: journal.SeamAPI, Operation: create,
				Outcome: "Conflict", Duration: 2 * time.Millisecond, Message: "modified",
			},
			want: "03:04:05.006 controller api     create buckets b -> Conflict 2ms: modified",
		},
		"Process": {
			event: journal.Event{
				Time: at, Component: "sidecar", Incarnation: 2, Seam: journal.SeamProcess, Operation: journal.Operation{Name: "start"},
			},
			want: "03:04:05.006 sidecar  process start (incarnation 2)",
		},
		"Log": {
			event: journal.Event{Time: at, Component: "driver", Seam: journal.SeamLog, Operation: journal.Operation{Name: "info"}, Message: "hello"},
			want:  "03:04:05.006 driver   log     info  hello",
		},
		"Fault": {
			event: journal.Event{
				Time: at, Component: "driver", Seam: journal.SeamRPC, Operation: journal.Operation{Name: "DriverGetInfo"},
				Outcome: "Unavailable", Fault: "reject",
			},
			want: "03:04:05.006 driver   rpc     DriverGetInfo -> Unavailable 0s [fault: reject]",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.event.String()); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

func TestWrite(t *testing.T) {
	for name, want := range map[string]bool{
		"create buckets": true, "update buckets/status": true, "patch secrets": true, "delete buckets": true, "deletecollection secrets": true,
		"get buckets": false, "list buckets": false, "watch buckets": false,
	} {
		e := journal.Event{Seam: journal.SeamAPI, Operation: journal.Operation{Name: name}}
		if e.Write() != want {
			t.Errorf("%q: Write() = %t, want %t", name, !want, want)
		}
	}
	if (journal.Event{Seam: journal.SeamStore, Operation: journal.Operation{Name: "delete bucket"}}).Write() {
		t.Error("a call to the store is not an API write")
	}
}

func BenchmarkAppend(b *testing.B) {
	j := journal.New(journal.Options{})
	body := json.RawMessage(`{"x":"` + strings.Repeat("y", 1000) + `"}`)
	for b.Loop() {
		e := j.Begin("controller", 1, journal.SeamAPI, create)
		e.Request, e.Outcome = body, journal.OutcomeOK
		j.Append(e)
	}
}

func TestPending(t *testing.T) {
	j := journal.New(journal.Options{})
	call := j.Begin("sidecar", 1, journal.SeamRPC, journal.Operation{Name: "DriverCreateBucket", Subject: "a"})
	other := j.Begin("sidecar", 1, journal.SeamRPC, journal.Operation{Name: "DriverCreateBucket", Subject: "b"})
	j.Begin("sidecar", 1, journal.SeamLog, journal.Operation{Name: "info"}) // a line does not last
	if got := len(j.Pending()); got != 2 {
		t.Errorf("%d operations are pending, want 2", got)
	}
	j.Append(call)
	if diff := cmp.Diff([]journal.Event{other}, j.Pending()); diff != "" {
		t.Errorf("what is pending (-want +got):\n%s", diff)
	}
	j.Append(other)
	if got := j.Pending(); len(got) != 0 {
		t.Errorf("%v is pending, although all has ended", got)
	}
}

func TestWatches(t *testing.T) {
	j := journal.New(journal.Options{})
	begin := func() journal.Event {
		return j.Begin("sidecar", 1, journal.SeamAPI, journal.Operation{Name: "watch buckets"})
	}
	first, second := begin(), begin()
	endFirst, endSecond := j.OpenWatch(first), j.OpenWatch(second)
	j.Append(first) // its response goes on
	endSecond()
	if diff := cmp.Diff([]journal.Event{first}, j.Watches()); diff != "" {
		t.Errorf("open watches (-want +got):\n%s", diff)
	}
	endFirst()
	endFirst()
	if got := j.Watches(); len(got) != 0 {
		t.Errorf("%v is open, although all watches have ended", got)
	}
}

func TestForget(t *testing.T) {
	j := journal.New(journal.Options{})
	op := journal.Operation{Name: "DriverCreateBucket"}
	j.Append(j.Begin("sidecar", 1, journal.SeamRPC, op))
	j.Append(j.Begin("sidecar.one", 1, journal.SeamRPC, op))
	j.ResetCounts("sidecar.one")
	got := []int{j.Begin("sidecar", 1, journal.SeamRPC, op).Nth, j.Begin("sidecar.one", 1, journal.SeamRPC, op).Nth}
	if diff := cmp.Diff([]int{2, 1}, got); diff != "" {
		t.Errorf("counts after one component was forgotten (-want +got):\n%s", diff)
	}
}

func TestTee(t *testing.T) {
	j := journal.New(journal.Options{})
	var first, second []uint64
	stop := j.Tee(j.Mark(), func(e journal.Event) { first = append(first, e.Seq) })
	add := func() { j.Append(j.Begin("c", 1, journal.SeamAPI, journal.Operation{Name: "get"})) }
	add()
	defer j.Tee(0, func(e journal.Event) { second = append(second, e.Seq) })()
	add()
	stop()
	add()
	if diff := cmp.Diff([][]uint64{{1, 2}, {1, 2, 3}}, [][]uint64{first, second}); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
