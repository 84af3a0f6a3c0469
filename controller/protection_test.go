package controller_test

import (
	"context"
	"errors"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// TestProtectionIsRestored: the finalizer of a claim, and that of an access which
// waits for its claim, are restored when a user removes them.
// KEP: FINAL-1
func TestProtectionIsRestored(t *testing.T) {
	h := start(t)
	h.make(class(), newAccessClass())
	claim := h.claim("data")
	access := h.access("app", "data")
	h.make(claim, access)
	h.bucketOf(claim)
	restored(h, claim)
	awaits(h, claim, "is held while the access waits", protected)
	restored(h, access)
}

func restored[T client.Object](h *fixture, object T) {
	h.t.Helper()
	hasFinalizer := func(o T) error {
		if !controllerutil.ContainsFinalizer(o, v1alpha2.ProtectionFinalizer) {
			return errors.New("it has none")
		}
		return nil
	}
	awaits(h, object, "has its finalizer", hasFinalizer)
	h.must(h.Patch(context.Background(), object, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`))))
	awaits(h, object, "has its finalizer again", hasFinalizer)
}
