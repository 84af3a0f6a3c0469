package v1alpha1_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	eventsv1 "k8s.io/api/events/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestNextFailureIsReported: the cause of a failure changes, and nothing else does. Its Event is no repetition of the one before.
func TestNextFailureIsReported(t *testing.T) {
	cl := start(t)
	cl.Make(class())
	claim := cl.claim("data")
	cl.Make(claim)
	bucket := cl.newBucketOf(claim)
	cl.guard(bucket)
	cl.Remove(bucket)
	cl.expectNote(claim, "BucketDeleting: ")
	cl.release(bucket)
	cl.expectNote(claim, "BucketLost: ")
}

// expectNote expects an Event of an object with the beginning of a note.
func (cl *testCluster) expectNote(object client.Object, want string) {
	cl.Helper()
	cl.Eventually(func() error {
		list := &eventsv1.EventList{}
		if err := cl.List(cl.Context(), list, client.InNamespace(object.GetNamespace())); err != nil {
			return err
		}
		var notes []string
		for i := range list.Items {
			if list.Items[i].Regarding.UID == object.GetUID() {
				notes = append(notes, list.Items[i].Note)
			}
		}
		if !slices.ContainsFunc(notes, func(note string) bool { return strings.HasPrefix(note, want) }) {
			return fmt.Errorf("no Event begins with %q: %q", want, notes)
		}
		return nil
	})
}
