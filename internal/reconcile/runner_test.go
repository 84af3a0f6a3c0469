package reconcile

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

func TestWalk(t *testing.T) {
	failure := errors.New("failure")
	cases := []struct {
		name     string
		outcomes []error
		walked   int
		want     error
	}{
		{"all phases", []error{nil, nil, nil}, 3, nil},
		{"done", []error{nil, ErrDone, failure}, 2, nil},
		{"an error", []error{nil, failure, nil}, 2, failure},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			var phases []Phase
			walked := 0
			for _, outcome := range tc.outcomes {
				phases = append(phases, func(context.Context) error { walked++; return outcome })
			}
			if err := walk(t.Context(), phases); !errors.Is(err, tc.want) {
				t.Errorf("error %v, want %v", err, tc.want)
			}
			if walked != tc.walked {
				t.Errorf("%d phases were run, want %d", walked, tc.walked)
			}
		})
	}
}

func TestOnUpdate(t *testing.T) {
	p := OnUpdate(func(was, is *v1alpha2.Bucket) bool { return was.Name != is.Name })
	a, b := &v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, &v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Name: "b"}}
	got := map[string]bool{
		"changed":   p.Update(event.UpdateEvent{ObjectOld: a, ObjectNew: b}),
		"unchanged": p.Update(event.UpdateEvent{ObjectOld: a, ObjectNew: a}),
		"unknown":   p.Update(event.UpdateEvent{ObjectOld: &corev1.Secret{}, ObjectNew: a}),
		"created":   p.Create(event.CreateEvent{Object: a}),
	}
	want := map[string]bool{"changed": true, "unchanged": false, "unknown": true, "created": true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("selected events (-want +got):\n%s", diff)
	}
}
