package phasetest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// OtherUID is the UID of an object that does not exist.
	OtherUID = "00000000-0000-0000-0000-000000000001"
	// Foreign is a finalizer of another component.
	Foreign = "example.com/audit"
	// ServerFails ends the line of a write for which the API server returns an error.
	ServerFails = ": Internal Server Error"
)

// Entry is one entry of a table. A scene S has a Case, and knows the objects of the package.
type Entry[S any] struct {
	Name string
	// Reason is the rule that the outcome follows from.
	Reason string
	// Given makes the objects.
	Given func(S)
	Want  Outcome
}

// RunTable runs the entries of a table in parallel, each in a scene of its own.
func RunTable[S any](t *testing.T, suite *Suite, table []Entry[S], newScene func(*Case) S, run func(S) Outcome) {
	t.Helper()
	for _, entry := range table {
		t.Run(entry.Name, func(t *testing.T) {
			t.Parallel()
			scene := newScene(suite.New(t))
			entry.Given(scene)
			if diff := cmp.Diff(entry.Want, run(scene)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", entry.Reason, diff)
			}
		})
	}
}

// Make edits an object, makes it, and returns it.
func Make[T client.Object](c *Case, object T, edits ...func(T)) T {
	c.Helper()
	for _, edit := range edits {
		edit(object)
	}
	c.Make(object)
	return object
}

// Label changes an object in a way that means nothing, so that it has another version.
func (c *Case) Label(object client.Object) {
	c.Helper()
	c.Modify(object, func() { object.SetLabels(map[string]string{"team": "a"}) })
}

// Failed is the Outcome for an object such as "Bucket b" if the API server fails.
func Failed(object string, writes ...string) Outcome {
	return Outcome{Writes: writes, Events: []string{"Warning APIError of " + object}, Err: "InternalError", Requeue: true}
}
