package e2e_test

import (
	"context"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// calm is how long the components must do nothing to be at rest. Retries are an hour
// off, and watches are answered within milliseconds.
const calm = 300 * time.Millisecond

// settle waits until no component writes to the API server or calls a driver any
// more, and returns the mark of the journal from which it was silent. Components
// that never rest fail the test.
func (cl *testCluster) settle(tb testing.TB) uint64 {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), harness.Timeout)
	defer cancel()
	for {
		mark := cl.emu.Journal().Mark()
		event := cl.disturbed(ctx, mark)
		if ctx.Err() != nil {
			tb.Fatalf("the components do not come to rest: %s", event)
		}
		if event == nil {
			return mark
		}
	}
}

// disturbed returns the first write or call after a mark, if there is one soon.
func (cl *testCluster) disturbed(ctx context.Context, mark uint64) *journal.Event {
	ctx, cancel := context.WithTimeout(ctx, calm)
	defer cancel()
	for e := range cl.emu.Journal().Follow(ctx, mark) {
		if e.Write() || e.Seam == journal.SeamRPC {
			return &e
		}
	}
	return nil
}
