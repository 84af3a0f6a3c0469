package ui

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// seenAt is a claim that a watch shows with a revision.
func seenAt(revision, name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"kind":     kindClaim,
		"metadata": map[string]any{"namespace": "demo", "name": name, "uid": name, "resourceVersion": revision},
		"spec":     map[string]any{"bucketClassName": "standard"},
	}}
}

// TestHistoryOrder lets watches show objects in another order than the API server's.
func TestHistoryOrder(t *testing.T) {
	tests := map[string]struct {
		reason string
		tell   func(*history)
		want   []string
	}{
		"InOrder": {
			reason: "What is seen in order stays so.",
			tell: func(h *history) {
				h.seen(seenAt("9", "a"))
				h.faultAdded(fault.Fault{Name: "f"}, time.Now())
				h.seen(seenAt("10", "b"))
			},
			want: []string{"apply BucketClaim/a", "inject f", "apply BucketClaim/b"},
		},
		"LateWatch": {
			reason: "An earlier revision comes before a later one, and before what was done after that.",
			tell: func(h *history) {
				h.faultAdded(fault.Fault{Name: "f"}, time.Now())
				h.seen(seenAt("8", "a"))
				h.seen(seenAt("100", "c"))
				h.faultRemoved("f")
				h.seen(seenAt("9", "b"))
			},
			want: []string{"inject f", "apply BucketClaim/a", "apply BucketClaim/b", "apply BucketClaim/c", "heal f"},
		},
		"LateEnd": {
			reason: "The end of an object has a revision as well.",
			tell: func(h *history) {
				h.seen(seenAt("8", "a"))
				h.seen(seenAt("11", "b"))
				h.gone(kindClaim, "demo", "a", 9)
			},
			want: []string{"apply BucketClaim/a", "delete BucketClaim/a", "expect BucketClaim/a", "apply BucketClaim/b"},
		},
		"EndFoundByList": {
			reason: "A list does not tell when an object was deleted, so that this comes last.",
			tell: func(h *history) {
				h.seen(seenAt("8", "a"))
				h.seen(seenAt("11", "b"))
				h.gone(kindClaim, "demo", "a", 0)
			},
			want: []string{"apply BucketClaim/a", "apply BucketClaim/b", "delete BucketClaim/a", "expect BucketClaim/a"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			h := newHistory(objectstorage.V1alpha2, journal.New(journal.Options{}))
			h.begin()
			tc.tell(h)
			var got []string
			for i, a := range h.actions {
				got = append(got, a.label())
				if i > 0 && a.at.Before(h.actions[i-1].at) {
					t.Errorf("%s: %s is before %s", tc.reason, a, h.actions[i-1])
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestHistoryOfLatePage opens the page when objects and a fault exist. The fault comes before the objects that it
// affects, and after those of another second.
func TestHistoryOfLatePage(t *testing.T) {
	t.Parallel()
	second := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	h := newHistory(objectstorage.V1alpha2, journal.New(journal.Options{}))
	h.faultAdded(fault.Fault{Name: "f"}, second.Add(time.Millisecond))
	for name, at := range map[string]time.Time{"earlier": second.Add(-time.Second), "affected": second} {
		claim := seenAt("1", name)
		claim.SetCreationTimestamp(metav1.NewTime(at))
		h.seen(claim)
	}
	h.begin()
	want := []string{"apply BucketClaim/earlier", "inject f", "apply BucketClaim/affected"}
	got := make([]string, 0, len(h.actions))
	for _, a := range h.actions {
		got = append(got, a.label())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
