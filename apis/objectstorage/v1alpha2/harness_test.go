package v1alpha2_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
)

// row is one line of a table: the changes of a request to a valid object, and the API server's
// answer.
type row struct {
	name string
	// from are edits of the object before the request; rows about creation have none.
	from  []edit
	edits []edit
	// rejected are the fields that the API server names; empty if it accepts.
	rejected []string
	// says is a part of the message, for rules about the same field.
	says string
}

// server is the API server, with strict field validation, as for kubectl.
type server struct{ client.Client }

func newServer(t *testing.T) server {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a control plane")
	}
	c, err := client.New(controlplanetest.Start(t).AdminConfig(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return server{client.WithFieldValidation(c, metav1.FieldValidationStrict)}
}

func object(t *testing.T, manifest string, edits ...edit) *unstructured.Unstructured {
	t.Helper()
	obj := &unstructured.Unstructured{}
	if err := yaml.UnmarshalStrict([]byte(manifest), &obj.Object); err != nil {
		t.Fatalf("decode manifest: %v", err)
	}
	apply(t, obj, edits)
	return obj
}

// created creates an object of the manifest, which exists until the test ends.
func (s server) created(t *testing.T, manifest string, edits ...edit) *unstructured.Unstructured {
	t.Helper()
	obj := object(t, manifest, edits...)
	obj.SetName("")
	obj.SetGenerateName("test-")
	if err := s.Create(t.Context(), obj); err != nil {
		t.Fatalf("create %s: %v", obj.GetKind(), err)
	}
	t.Cleanup(func() {
		if err := s.Delete(context.WithoutCancel(t.Context()), obj); err != nil {
			t.Errorf("delete %s: %v", obj.GetKind(), err)
		}
	})
	return obj
}

// testCreate sends each row as a new object.
func testCreate(t *testing.T, manifest string, rows ...[]row) {
	t.Helper()
	s := newServer(t)
	for _, r := range flatten(rows) {
		t.Run(r.name, func(t *testing.T) {
			obj := object(t, manifest, r.edits...)
			judge(t, r, s.Create(t.Context(), obj, client.DryRunAll))
		})
	}
}

// testUpdate sends each row as a change of an existing object.
func testUpdate(t *testing.T, manifest string, rows ...[]row) {
	t.Helper()
	s := newServer(t)
	for _, r := range flatten(rows) {
		t.Run(r.name, func(t *testing.T) {
			obj := s.created(t, manifest, r.from...)
			changed := obj.DeepCopy()
			apply(t, changed, r.edits)
			judge(t, r, s.Update(t.Context(), changed, client.DryRunAll))
		})
	}
}

// testStatus sends each row as a change of the status.
func testStatus(t *testing.T, manifest string, rows ...[]row) {
	t.Helper()
	s := newServer(t)
	for _, r := range flatten(rows) {
		t.Run(r.name, func(t *testing.T) {
			obj := s.created(t, manifest)
			if len(r.from) > 0 {
				apply(t, obj, append([]edit{set("status.readyToUse", false)}, r.from...))
				if err := s.Status().Update(t.Context(), obj); err != nil {
					t.Fatalf("write the status to begin with: %v", err)
				}
			}
			changed := obj.DeepCopy()
			apply(t, changed, append([]edit{set("status.readyToUse", false)}, r.edits...))
			judge(t, r, s.Status().Update(t.Context(), changed, client.DryRunAll))
		})
	}
}

func judge(t *testing.T, r row, err error) {
	t.Helper()
	if err != nil && !apierrors.IsInvalid(err) {
		t.Fatalf("want it accepted or found invalid: %v", err)
	}
	if diff := cmp.Diff(r.rejected, rejectedFields(err), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("rejected fields (-want +got):\n%s\n%v", diff, err)
	}
	if err != nil && !strings.Contains(err.Error(), r.says) {
		t.Errorf("want a message with %q: %v", r.says, err)
	}
}

// rejectedFields are the fields that an error is about, each once, in its order. The API server
// also reports, for no field, that it skips the rules in CEL while an object violates the rest of
// the schema.
func rejectedFields(err error) []string {
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok || status.Status().Details == nil {
		return nil
	}
	var fields []string
	seen := map[string]bool{"<nil>": true}
	for _, cause := range status.Status().Details.Causes {
		if !seen[cause.Field] {
			seen[cause.Field] = true
			fields = append(fields, cause.Field)
		}
	}
	return fields
}

func flatten(tables [][]row) []row {
	var rows []row
	for _, table := range tables {
		rows = append(rows, table...)
	}
	return rows
}
