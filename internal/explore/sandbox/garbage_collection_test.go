package sandbox

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/internal/explore/run"
)

// TestNamespaceEnds verifies that a deleted namespace ends, and that the next run gets a new one.
// If something holds it, this is a finding, and the sandbox is replaced.
func TestNamespaceEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a control plane")
	}
	w := interferenceSandbox(t)
	r := &running{sandbox: w, context: t.Context()}
	remove := func() {
		t.Helper()
		if err := w.Emulator.Client().Delete(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: run.Namespace}}); err != nil {
			t.Fatal(err)
		}
	}
	remove()
	if err := r.awaitNamespace(namespaceTimeout); err != nil || len(r.seen.Found) > 0 {
		t.Fatalf("findings %v, error %v", r.seen.Found, err)
	}
	if err := w.undoInterference(t.Context()); err != nil {
		t.Fatal(err)
	}
	held := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name: "held", Namespace: run.Namespace, Finalizers: []string{"example.com/held"},
	}}
	if err := w.Emulator.Client().Create(t.Context(), held); err != nil {
		t.Fatal(err)
	}
	defer release(t, w, held)
	remove()
	if err := r.awaitNamespace(10 * time.Second); err != nil {
		t.Fatal(err)
	}
	if len(r.seen.Found) != 1 || !strings.Contains(r.seen.Found[0].Message, "example.com/held") || !r.seen.Spoiled {
		t.Errorf("findings %v, spoiled: %t", r.seen.Found, r.seen.Spoiled)
	}
}

func release(t *testing.T, w *Sandbox, held *corev1.ConfigMap) {
	t.Helper()
	before := held.DeepCopy()
	held.Finalizers = nil
	if err := w.Emulator.Client().Patch(t.Context(), held, client.MergeFrom(before)); err != nil {
		t.Error(err)
	}
}
