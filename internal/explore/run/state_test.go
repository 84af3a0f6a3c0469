package run

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
)

func observationWith(uid, version, bucket string) observed.Observation {
	claim := v1alpha2.BucketClaim{ObjectMeta: metav1.ObjectMeta{Name: "photos", ResourceVersion: version}}
	claim.UID = "u-" + claim.UID
	claim.Status.BoundBucketName = bucket + uid
	return observed.Observation{Objects: observed.Objects{Claims: []v1alpha2.BucketClaim{claim}}}
}

func TestStateDifferences(t *testing.T) {
	const otherUID = "99999999-2222-3333-4444-555555555555"
	state := func(m observed.Observation, uid string) State {
		n := NewNames("story")
		n.Learn("BucketClaim", "photos", uid)
		s, err := StateOf(m, n)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	want := state(observationWith(someUID, "1", "bc-"), someUID)
	tests := map[string]struct {
		reason string
		got    State
		want   []Difference
	}{
		"Same": {reason: "UIDs and versions differ from run to run.", got: state(observationWith(otherUID, "7", "bc-"), otherUID)},
		"Gone": {reason: "", got: State{}, want: []Difference{{"BucketClaim photos", "not found"}}},
		"Other": {
			reason: "The bucket has another name.", got: state(observationWith(someUID, "1", "xx-"), someUID),
			want: []Difference{{
				"BucketClaim photos",
				`status.boundBucketName is "xx-<BucketClaim/photos>", not "bc-<BucketClaim/photos>"`,
			}},
		},
		"More": {
			reason: "A leak.", got: State{"BucketClaim photos": want["BucketClaim photos"], "backend bucket b": map[string]any{}},
			want: []Difference{{"backend bucket b", "exists, but must not"}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.got.Differences(want)); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestStatesOfTwoSandboxes verifies that the port at which a sandbox serves S3 is not part of its
// state.
func TestStatesOfTwoSandboxes(t *testing.T) {
	var states []State
	for _, port := range []string{"1234", "23456"} {
		bucket := v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Name: "b"}}
		bucket.Status.BucketInfo = map[string]string{v1alpha2.SecretKeyS3Endpoint: "http://127.0.0.1:" + port}
		s, err := StateOf(observed.Observation{Objects: observed.Objects{Buckets: []v1alpha2.Bucket{bucket}}}, NewNames("story"))
		if err != nil {
			t.Fatal(err)
		}
		states = append(states, s)
	}
	if diff := cmp.Diff(states[0], states[1]); diff != "" {
		t.Errorf("the states differ:\n%s", diff)
	}
}

// TestTimeouts verifies which calls have no answer because of the machine.
func TestTimeouts(t *testing.T) {
	const limit = time.Second
	late := journal.Event{Seam: journal.SeamRPC, Outcome: "DeadlineExceeded", Duration: limit}
	early, faulty, answered, request := late, late, late, late
	early.Duration, faulty.Fault, answered.Outcome, request.Seam = limit/4, "delay-1", journal.OutcomeOK, journal.SeamAPI
	for name, tc := range map[string]struct {
		event journal.Event
		want  int
	}{
		"Late": {late, 1}, "Early": {early, 0}, "Faulty": {faulty, 0}, "Answered": {answered, 0}, "Request": {request, 0},
	} {
		if got := Timeouts([]journal.Event{tc.event}, limit); got != tc.want {
			t.Errorf("%s: %d timeouts, want %d", name, got, tc.want)
		}
	}
}

func TestExcesses(t *testing.T) {
	clean := Counts{"buckets created": {"a": 1}}
	tests := map[string]struct {
		reason string
		got    Counts
		// timeouts is the number of calls without an answer in time.
		timeouts int
		want     []Difference
	}{
		"Retry": {reason: "It is idempotent.", got: Counts{"buckets created": {"a": 3}}},
		"Other": {
			reason: "Another ID after a crash is a leak.", got: Counts{"buckets created": {"a": 1, "b": 1}},
			want: []Difference{{"buckets created: b", "not in the clean run"}},
		},
		"Loop": {
			got:  Counts{"buckets created": {"a": 50}},
			want: []Difference{{"buckets created: a", "50 times, 1 in the clean run"}},
		},
		"Slow": {
			reason: "Each call that had no answer in time is repeated.", timeouts: 39, got: Counts{"buckets created": {"a": 50}},
		},
		"LoopAfterSlow": {
			reason: "More than those are repeated.", timeouts: 2, got: Counts{"buckets created": {"a": 50}},
			want: []Difference{{"buckets created: a", "50 times, 1 in the clean run"}},
		},
		"Undone": {reason: "A repeated deletion is harmless.", got: Counts{"buckets deleted": {"b": 1}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.got.excesses(clean, 1, tc.timeouts)); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestWithoutVolatile verifies that lists in the order of UIDs are equal after normalization.
func TestWithoutVolatile(t *testing.T) {
	one := map[string]any{"grants": []any{map[string]any{"bucket": "b"}, map[string]any{"bucket": "a"}}, "uid": "1"}
	other := map[string]any{"grants": []any{map[string]any{"bucket": "a"}, map[string]any{"bucket": "b"}}, "uid": "2"}
	if diff := cmp.Diff(Stable(one), Stable(other)); diff != "" {
		t.Errorf("-one, +other:\n%s", diff)
	}
}

// TestDiffering verifies that differences omit equal parts.
func TestDiffering(t *testing.T) {
	condition := func(name, status, reason string) map[string]any {
		return map[string]any{"type": name, "status": status, "reason": reason}
	}
	in := func(conditions ...any) map[string]any {
		return map[string]any{"status": map[string]any{"conditions": conditions}}
	}
	tests := map[string]struct {
		reason    string
		want, got any
		texts     []string
	}{
		"Equal": {"", map[string]any{"a": []any{"x"}}, map[string]any{"a": []any{"x"}}, nil},
		"Condition": {
			"Items with the same type are compared.",
			in(condition("Provisioned", "True", "Granted"), condition("Other", "True", "X")),
			in(condition("Other", "True", "X"), condition("Provisioned", "False", "Granted")),
			[]string{`status.conditions[type=Provisioned].status is "False", not "True"`},
		},
		"MissingCondition": {
			"", []any{condition("Provisioned", "True", "Granted")}, []any{},
			[]string{`[type=Provisioned] is absent, not {"reason":"Granted","status":"True","type":"Provisioned"}`},
		},
		"Values": {
			"Plain values are missing or additional.",
			map[string]any{"finalizers": []any{"a", "b", "b"}}, map[string]any{"finalizers": []any{"b", "c"}},
			[]string{`finalizers lacks "a"`, `finalizers lacks "b"`, `finalizers has "c", which it must not`},
		},
		"Twins": {
			"A name that two items have identifies none.",
			[]any{map[string]any{"id": "a", "n": "1"}, map[string]any{"id": "a", "n": "2"}}, []any{map[string]any{"id": "a", "n": "1"}},
			[]string{` lacks {"id":"a","n":"2"}`},
		},
		"Long": {
			"A long value is cut.", "", strings.Repeat("x", 2*maxShort),
			[]string{` is "` + strings.Repeat("x", maxShort-1) + `…, not ""`},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.texts, Differing("", tc.want, tc.got)); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
