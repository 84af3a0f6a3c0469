package seam_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/seam"
)

// TestInterfere changes objects before an operation, or after it and before its component receives
// the response.
func TestInterfere(t *testing.T) {
	tests := map[string]struct {
		seam  journal.Seam
		after bool
		want  []string
	}{
		"APIBefore":   {journal.SeamAPI, false, []string{"interference", "operation", "response"}},
		"APIAfter":    {journal.SeamAPI, true, []string{"operation", "interference", "response"}},
		"StoreBefore": {journal.SeamStore, false, []string{"interference", "operation", "response"}},
		"StoreAfter":  {journal.SeamStore, true, []string{"operation", "interference", "response"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			effect := fault.Effect{Interfere: fault.Delete, Object: "Bucket/b", After: tc.after}
			i, set, j := withFault(t, fault.Match{Seam: tc.seam}, effect)
			var got []string
			i.Inject(set, seam.Hooks{Interfere: func(_ context.Context, by *fault.Applied) {
				if by.Object != "Bucket/b" {
					t.Errorf("object %q", by.Object)
				}
				got = append(got, "interference")
			}})
			happen := func() { got = append(got, "operation") }
			if tc.seam == journal.SeamAPI {
				update(t, i, happen)
				expectApplied(t, j, "update buckets b OK")
			} else {
				cross(t, i, happen)
				expectApplied(t, j, "AdminGetBucket b OK")
			}
			got = append(got, "response")
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

func update(t *testing.T, i *seam.Incarnation, happen func()) {
	t.Helper()
	server := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		happen()
		(&shop{}).ServeHTTP(w, r)
	})
	if _, err := buckets(t, i, server).Update(t.Context(), aBucket, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func cross(t *testing.T, i *seam.Incarnation, happen func()) {
	t.Helper()
	op := journal.Operation{Name: "AdminGetBucket", Subject: "b"}
	code := func(err error) string { return err.Error() }
	if err := i.Cross(t.Context(), journal.SeamStore, op, code, func(context.Context) error { happen(); return nil }); err != nil {
		t.Fatal(err)
	}
}

// TestWithFault: a fault's own requests have its name in the journal.
func TestWithFault(t *testing.T) {
	i, j := newIncarnation(t)
	if _, err := buckets(t, i, &shop{}).Update(seam.WithFault(t.Context(), "f"), aBucket, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	expectApplied(t, j, "update buckets b OK")
}
