package cause

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// runOf is a run with events, one a line and a second apart:
//
//	COMPONENT | SEAM | OPERATION | SUBJECT | OUTCOME[: MESSAGE] | FAULT | REQUEST
//
// The last two may be missing.
func runOf(t *testing.T, lines string, faults ...fault.Status) *run.Record {
	t.Helper()
	o := &run.Record{Names: run.NewNames("story"), Faults: faults}
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		fields := strings.Split(strings.TrimSpace(line), "|")
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		if len(fields) < 5 {
			t.Fatalf("invalid event %q", line)
		}
		at := len(o.Events)
		e := journal.Event{
			Seq: uint64(at) + 1, Time: time.Unix(int64(at), 0), Component: fields[0], Seam: journal.Seam(fields[1]),
			Operation: journal.Operation{Name: fields[2], Subject: fields[3]},
		}
		e.Outcome, e.Message, _ = strings.Cut(fields[4], ": ")
		if len(fields) > 5 {
			e.Fault = fields[5]
		}
		if len(fields) > 6 {
			e.Request = json.RawMessage(fields[6])
		}
		o.Events = append(o.Events, e)
	}
	return o
}

func injected(e fault.Effect) fault.Status {
	return fault.Status{Fault: fault.Fault{Name: "f", Effect: e}}
}

const lifeOfBucket = `
	sidecar | rpc   | DriverCreateBucket   | b | OK | | {"bucketId":"b","parameters":{"tier":"hot"}}
	driver  | store | AdminCreateBucket    | b | OK
	driver  | rpc   | DriverCreateBucket   | b | OK | | {"bucketId":"b","parameters":{"tier":"hot"}}
	sidecar | api   | patch buckets/status | b | OK
	sidecar | rpc   | DriverDeleteBucket   | b | OK
	driver  | store | AdminDeleteBucket    | b | OK
	driver  | rpc   | DriverDeleteBucket   | b | OK
	sidecar | api   | patch buckets        | b | OK`

func TestCulprit(t *testing.T) {
	lose, fail := injected(fault.Effect{LoseReply: "Unavailable"}), injected(fault.Effect{Fail: "Unavailable"})
	crash := injected(fault.Effect{Crash: fault.Before})
	leak := checks.Finding{Oracle: vocabulary.Leak, Subject: "bucket b", Message: "the backend has bucket \"b\"", Events: []uint64{1}}
	tests := []struct {
		name, reason string
		fault        fault.Status
		events       string
		findings     []checks.Finding
		want         culprit
	}{
		{
			name: "answer", reason: "The driver answers a repeated request otherwise.", fault: lose, findings: []checks.Finding{leak},
			events: `
				sidecar | rpc | DriverCreateBucket   | b | Unavailable: EOF                  | f | {"bucketId":"b"}
				driver  | rpc | DriverCreateBucket   | b | OK                                |   | {"bucketId":"b"}
				sidecar | rpc | DriverCreateBucket   | b | AlreadyExists: the bucket exists  |   | {"bucketId":"b"}
				sidecar | api | patch buckets/status | b | OK`,
			want: culprit{
				cause: "sidecar DriverCreateBucket: AlreadyExists",
				text: "driver answered the 2nd DriverCreateBucket b with AlreadyExists: the bucket exists; " +
					"it had answered the 1st, with the same request, with OK",
			},
		},
		{
			name: "answer of a driver without a seam", reason: "The run without faults has the request.",
			fault: crash, findings: []checks.Finding{leak},
			events: `
				sidecar | rpc | DriverCreateBucket | b | Unavailable                      | f | {"bucketId":"b"}
				sidecar | rpc | DriverCreateBucket | b | InvalidArgument: no such region  |   | {"bucketId":"b","parameters":{"tier":"hot"}}`,
			want: culprit{
				cause: "sidecar DriverCreateBucket: InvalidArgument",
				text: "driver answered the 2nd DriverCreateBucket b with InvalidArgument: no such region; " +
					"without faults it answers the same request with OK",
			},
		},
		{
			name: "request", reason: "The sidecar sends something else, and the driver is right.", fault: crash, findings: []checks.Finding{leak},
			events: `
				sidecar | rpc | DriverCreateBucket | b | Unavailable              | f | {"bucketId":"b","parameters":{"tier":"hot"}}
				sidecar | rpc | DriverCreateBucket | b | InvalidArgument: no tier |   | {"bucketId":"b"}`,
			want: culprit{
				cause: "sidecar DriverCreateBucket: request",
				text: "sidecar sent another request than without faults in the 2nd DriverCreateBucket b: " +
					`parameters is absent, not {"tier":"hot"}; the driver answered InvalidArgument: no tier`,
			},
		},
		{
			name: "no answer", reason: "A driver that hangs is named as such.", fault: crash, findings: []checks.Finding{leak},
			events: `
				sidecar | rpc | DriverCreateBucket | b | Unavailable       | f
				sidecar | rpc | DriverCreateBucket | b | DeadlineExceeded  |
				sidecar | rpc | DriverCreateBucket | b | DeadlineExceeded  |`,
			want: culprit{
				cause: "sidecar DriverCreateBucket: DeadlineExceeded",
				text:  "driver has not answered the 2nd DriverCreateBucket b within 0s",
			},
		},
		{
			name: "recovered", reason: "An answer that was not the last word is not to blame, and a repeated operation is not either.",
			fault: fail, findings: []checks.Finding{leak},
			events: `
				sidecar | rpc | DriverCreateBucket | b | Unavailable       | f
				sidecar | rpc | DriverCreateBucket | b | Aborted: pending  |
				sidecar | rpc | DriverCreateBucket | b | OK                |`,
			want: culprit{text: "the last write or call about bucket b: sidecar called DriverCreateBucket b"},
		},
		{
			name: "not repeated", reason: "The sidecar goes on as if the call had succeeded.", fault: fail, findings: []checks.Finding{leak},
			events: `
				sidecar | rpc | DriverDeleteBucket | b | Unavailable | f
				sidecar | api | patch buckets      | b | OK`,
			want: culprit{
				cause: "sidecar DriverDeleteBucket: not repeated",
				text: "sidecar did not repeat DriverDeleteBucket b, which had failed with Unavailable because of the fault; " +
					"next it patched Bucket b",
			},
		},
		{
			name: "not repeated after a failure of the driver", reason: "The fault was at the driver, the mistake is the sidecar's.",
			fault: crash, findings: []checks.Finding{leak},
			events: `
				sidecar | rpc   | DriverDeleteBucket | b | Unavailable: EOF
				driver  | store | AdminDeleteBucket  | b | Fenced | f
				sidecar | api   | patch buckets      | b | OK`,
			want: culprit{
				cause: "sidecar DriverDeleteBucket: not repeated",
				text: "sidecar did not repeat DriverDeleteBucket b, which had failed with Unavailable because of the fault; " +
					"next it patched Bucket b",
			},
		},
		{
			name: "answered by a bridge", reason: "The bridge answers with success although the driver has failed.",
			fault: fail, findings: []checks.Finding{leak},
			events: `
				sidecar | rpc | DriverDeleteBucket | b | OK
				bridge  | rpc | DriverDeleteBucket | b | Unavailable | f
				sidecar | api | patch buckets      | b | OK`,
			want: culprit{
				cause: "bridge DriverDeleteBucket: not repeated",
				text: "bridge did not repeat DriverDeleteBucket b, which had failed with Unavailable because of the fault; " +
					"it wrote and called nothing after it",
			},
		},
		{
			name: "failed behind a bridge", reason: "The bridge passes the error on, and the mistake is the sidecar's.",
			fault: fail, findings: []checks.Finding{leak},
			events: `
				sidecar | rpc | DriverDeleteBucket | b | Unavailable
				bridge  | rpc | DriverDeleteBucket | b | Unavailable | f
				sidecar | api | patch buckets      | b | OK`,
			want: culprit{
				cause: "sidecar DriverDeleteBucket: not repeated",
				text: "sidecar did not repeat DriverDeleteBucket b, which had failed with Unavailable because of the fault; " +
					"next it patched Bucket b",
			},
		},
		{
			name: "went on", reason: "The sidecar takes its failed write for done: the same operation comes again as its next step.",
			fault: fail, findings: []checks.Finding{leak},
			events: `
				sidecar | api | patch buckets/status | b | InternalError | f
				sidecar | rpc | DriverCreateBucket   | b | OK
				sidecar | api | patch buckets/status | b | OK`,
			want: culprit{
				cause: "sidecar patch buckets/status: not repeated",
				text: "sidecar did not repeat patch buckets/status b, which had failed with InternalError because of the fault; " +
					"next it called DriverCreateBucket b",
			},
		},
		{
			name: "began again", reason: "Who repeats a write may repeat the call before it, too.",
			fault: fail, findings: []checks.Finding{leak},
			events: `
				sidecar | rpc | DriverCreateBucket   | b | OK
				sidecar | api | patch buckets/status | b | InternalError | f
				sidecar | rpc | DriverCreateBucket   | b | OK
				sidecar | api | patch buckets/status | b | OK`,
			want: culprit{text: "the last write or call about bucket b: sidecar called DriverCreateBucket b"},
		},
		{
			name: "never with success", reason: "The component repeats a write that can only fail.", fault: fail, findings: []checks.Finding{leak},
			events: `
				sidecar | api | patch buckets/status | b | InternalError | f
				sidecar | api | patch buckets/status | b | Conflict: the object has been modified
				sidecar | api | patch buckets/status | b | Conflict: the object has been modified`,
			want: culprit{
				cause: "sidecar patch buckets/status: fails",
				text: "sidecar repeated patch buckets/status b, which had failed with InternalError because of the fault, 2 times, " +
					"and never with success: the last returned Conflict: the object has been modified",
			},
		},
		{
			name: "already deleted", reason: "The driver finds that the account is gone, and the sidecar has not waited for its answer.",
			fault: crash, findings: []checks.Finding{{Oracle: vocabulary.Order, Message: "too early", Events: []uint64{3}}},
			events: `
				driver  | store | AdminDeleteAccount | a | Fenced   | f
				driver  | store | AdminDeleteAccount | a | NotExist
				sidecar | rpc   | DriverDeleteBucket | b | OK`,
			want: culprit{cause: "sidecar DriverDeleteBucket: order: too early", text: "sidecar called DriverDeleteBucket b"},
		},
		{
			name: "answered too early", reason: "The driver answers before it has deleted the bucket.",
			fault: crash, findings: []checks.Finding{leak},
			events: `
				sidecar | rpc   | DriverDeleteBucket | b | OK
				sidecar | api   | patch buckets      | b | OK
				driver  | store | AdminDeleteBucket  | b | Fenced | f`,
			want: culprit{
				cause: "driver AdminDeleteBucket: not repeated",
				text: "driver had answered DriverDeleteBucket b with OK; driver did not repeat AdminDeleteBucket b, " +
					"which a crash had prevented; it wrote and called nothing after it",
			},
		},
		{
			name: "additional", reason: "The driver makes a second bucket.", fault: lose, findings: []checks.Finding{leak},
			events: `
				sidecar | rpc   | DriverCreateBucket   | b   | Unavailable | f
				driver  | store | AdminCreateBucket    | b   | OK
				sidecar | rpc   | DriverCreateBucket   | b   | OK
				driver  | store | AdminCreateBucket    | b-2 | OK`,
			want: culprit{
				cause: "driver AdminCreateBucket: additional",
				text:  "driver called AdminCreateBucket b-2, which the run without faults does not have",
			},
		},
		{
			name: "named", reason: "The oracle order knows the events.", fault: lose,
			findings: []checks.Finding{leak, {Oracle: vocabulary.Order, Message: "sidecar has let Bucket \"b\" go", Events: []uint64{2}}},
			events: `
				sidecar | rpc | DriverDeleteBucket | b | OK
				sidecar | api | patch buckets      | b | OK`,
			want: culprit{
				cause: `sidecar patch buckets: order: sidecar has let Bucket "…" go`,
				text:  `sidecar patched Bucket b (order: sidecar has let Bucket "b" go)`,
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := findCulprit(runOf(t, test.events, test.fault), runOf(t, lifeOfBucket), test.findings)
			if diff := cmp.Diff([]string{test.want.cause, test.want.text}, []string{got.cause, got.text}); diff != "" {
				t.Errorf("%s -want, +got:\n%s", test.reason, diff)
			}
			if len(got.seen) == 0 {
				t.Error("no event shows it")
			}
		})
	}
}

// TestCulpritOfDuplicate verifies that a driver is blamed that does not answer two identical calls alike, or acts twice.
func TestCulpritOfDuplicate(t *testing.T) {
	leak := func(subject string) checks.Finding {
		return checks.Finding{Oracle: vocabulary.Leak, Subject: subject, Message: "the backend has " + subject}
	}
	for name, tc := range map[string]struct {
		reason, events string
		finding        checks.Finding
		want           string
	}{
		"Exists": {
			reason: "The fault repeats the call, but the answer is the driver's.",
			events: `
				sidecar | rpc | DriverCreateBucket   | b | AlreadyExists: it exists | f | {"bucketId":"b","parameters":{"tier":"hot"}}
				sidecar | api | patch buckets/status | b | OK`,
			want: "driver answered the second of two identical calls DriverCreateBucket b with AlreadyExists: it exists; " +
				"without faults it answers the same request with OK",
		},
		"OwnSeam": {
			reason: "The driver's own seam shows the first answer.",
			events: `
				sidecar | rpc | DriverCreateBucket | b | AlreadyExists: it exists | f | {"bucketId":"b"}
				driver  | rpc | DriverCreateBucket | b | OK                       |   | {"bucketId":"b"}
				driver  | rpc | DriverCreateBucket | b | AlreadyExists: it exists |   | {"bucketId":"b"}`,
			want: "driver answered the second of two identical calls DriverCreateBucket b with AlreadyExists: it exists; " +
				"it had answered the first with OK",
		},
		"Always": {
			reason: "The sidecar does what it can.",
			events: `
				sidecar | rpc | DriverCreateBucket | b | Internal: it exists | f | {"bucketId":"b","parameters":{"tier":"hot"}}
				sidecar | rpc | DriverCreateBucket | b | Internal: it exists |   | {"bucketId":"b","parameters":{"tier":"hot"}}`,
			want: "driver answered the second of two identical calls DriverCreateBucket b with Internal: it exists; " +
				"without faults it answers the same request with OK",
		},
		"NotRepeated": {
			reason: "A sidecar must retry this code.",
			events: `
				sidecar | rpc | DriverCreateBucket   | b | Internal: busy | f
				sidecar | api | patch buckets/status | b | OK`,
			want: "sidecar did not repeat DriverCreateBucket b, which had failed with Internal because of the fault; " +
				"next it patched the status of Bucket b",
		},
		"Twice": {
			reason: "The sidecar does not know the second bucket.", finding: leak("bucket b-2"),
			events: `
				sidecar | rpc | DriverCreateBucket   | b | OK | f
				sidecar | api | patch buckets/status | b | OK
				sidecar | rpc | DriverDeleteBucket   | b | OK`,
			want: "driver acted twice for two identical calls DriverCreateBucket b: the backend has bucket b-2",
		},
		"OtherLeak": {
			reason: "The sidecar knows this bucket, and does not delete it.", finding: leak("bucket b"),
			events: `
				sidecar | rpc | DriverCreateBucket   | b | OK | f
				sidecar | api | patch buckets        | b | OK`,
			want: "the last write or call about bucket b: sidecar called DriverCreateBucket b",
		},
	} {
		t.Run(name, func(t *testing.T) {
			findings := []checks.Finding{tc.finding}
			if tc.finding.Oracle == "" {
				findings[0] = checks.Finding{Oracle: run.OracleSteps, Subject: "BucketClaim/photos"}
			}
			clean := runOf(t, lifeOfBucket)
			got := findCulprit(runOf(t, tc.events, injected(fault.Effect{Duplicate: true})), clean, findings)
			if diff := cmp.Diff(tc.want, got.text); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestCulpritWithin verifies that a change of the backend names the call that caused it.
func TestCulpritWithin(t *testing.T) {
	o := runOf(t, `
		sidecar | rpc   | DriverCreateBucket | b   | Unavailable | f
		driver  | rpc   | DriverCreateBucket | b   | OK
		sidecar | rpc   | DriverCreateBucket | b   | OK
		driver  | store | AdminCreateBucket  | b-2 | OK`, injected(fault.Effect{LoseReply: "Unavailable"}))
	o.Events[2].Duration = 3 * time.Second
	got := findCulprit(o, runOf(t, lifeOfBucket), []checks.Finding{{Oracle: vocabulary.Leak}})
	const want = "driver called AdminCreateBucket b-2, which the run without faults does not have, in the 2nd DriverCreateBucket b"
	if got.text != want {
		t.Errorf("got %q, want %q", got.text, want)
	}
}

// TestCulpritWithoutFaults verifies that the clean run is explained without a comparison.
func TestCulpritWithoutFaults(t *testing.T) {
	o := runOf(t, `
		sidecar | rpc | DriverCreateBucket   | b | AlreadyExists: it exists
		sidecar | api | patch buckets/status | b | OK`, fault.Status{Fault: run.Probe})
	got := findCulprit(o, o, []checks.Finding{{Oracle: run.OracleSteps, Subject: "BucketClaim/photos"}})
	if want := "driver answered the 1st DriverCreateBucket b with AlreadyExists: it exists"; got.text != want {
		t.Errorf("got %q, want %q", got.text, want)
	}
}

// TestCulpritsWithoutFaults: the driver rejects a call, which does not explain an earlier write of the controller.
func TestCulpritsWithoutFaults(t *testing.T) {
	o := runOf(t, `
		controller | api | create buckets       | b | OK
		sidecar    | rpc | DriverRevokeBucketAccess | a | FailedPrecondition: of another driver`, fault.Status{Fault: run.Probe})
	early := checks.Finding{Oracle: vocabulary.Order, Subject: "BucketClaim/photos", Message: "too early", Events: []uint64{1}}
	got := findCulprit(o, o, []checks.Finding{early})
	if want := "controller created Bucket b"; got.text != want {
		t.Errorf("got %q, want %q", got.text, want)
	}
}

// TestCulpritOfInterference verifies that operations which follow from a person's change are not
// blamed, although the run without faults does not have them.
func TestCulpritOfInterference(t *testing.T) {
	o := runOf(t, `
		sidecar | api | patch buckets      | b   | OK | f
		sidecar | api | patch buckets      | b-2 | OK
		sidecar | rpc | DriverDeleteBucket | b   | OK`, injected(fault.Effect{Interfere: "flip-policy", Object: "Bucket/b"}))
	loss := checks.Finding{Oracle: vocabulary.Loss, Subject: "bucket b", Message: "sidecar has asked for the deletion", Events: []uint64{3}}
	got := findCulprit(o, runOf(t, lifeOfBucket), []checks.Finding{loss})
	if want := "sidecar called DriverDeleteBucket b"; got.text != want {
		t.Errorf("got %q, want %q", got.text, want)
	}
}

func TestOrdinal(t *testing.T) {
	for n, want := range map[int]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 21: "21st", 103: "103rd"} {
		if got := ordinal(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}
