package e2e_test

import (
	"context"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
	"github.com/cosi-emu/cosi-emu/internal/scenario/idle"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// calm is how long the components must do nothing to be at rest, on a machine without other work. Retries are an
// hour off, and watches are answered within milliseconds.
const calm = 300 * time.Millisecond

// settle waits until no component writes to the API server or calls a driver any
// more, and returns the mark of the journal from which it was silent. Components
// that never rest fail the test. A call for a name in held is not waited for: the test
// itself holds it.
func (cl *testCluster) settle(tb testing.TB, held ...string) uint64 {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), harness.Timeout)
	defer cancel()
	rest, scope := idle.New(cl.emu), eventscope.Scope{Alone: true, Others: held}
	for {
		mark := cl.emu.Journal().Mark()
		settled := rest.WaitSettled(ctx, func() eventscope.Scope { return scope }, calm, func(ctx context.Context) error {
			return idle.ProbeLatency(ctx, cl.emu.Client(), metav1.NamespaceDefault)
		})
		if !settled {
			tb.Fatalf("the components do not come to rest: %s", rest.Latest())
		}
		if !slices.ContainsFunc(cl.emu.Journal().Since(mark), func(e journal.Event) bool { return e.Write() || e.Seam == journal.SeamRPC }) {
			return mark
		}
	}
}
