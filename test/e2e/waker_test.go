package e2e_test

import (
	"context"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// waker blocks something in a cluster and returns how it is unblocked.
type waker func(*testCluster) blockage

// blockage is something that is blocked.
type blockage struct {
	// unblock ends it, with a write.
	unblock func()
	// trigger is the write that ends it, if a component makes that write because of unblock.
	trigger *step
	// reaction is the first thing that must happen then.
	reaction step
	// held are the names of what calls are about that last until unblock.
	held []string
}

// step is a successful request of a component.
type step struct {
	component, operation, subject string
}

func byController(operation, subject string) step {
	return step{emulator.ComponentController, operation, subject}
}

func bySidecar(operation, subject string) step {
	return step{emulator.ComponentSidecar, operation, subject}
}

func (s step) is(e journal.Event) bool {
	return e.Component == s.component && e.Operation.Name == s.operation && e.Operation.Subject == s.subject && !e.Failed()
}

// end is when the answer to a request came.
func end(e journal.Event) time.Time { return e.Time.Add(e.Duration) }

// measure unblocks, when all is at rest, and returns the time from the answer to the unblocking write
// until the answer to the write that is the reaction. A reaction that does not
// come fails the test. The components may learn of a write before its author has
// the answer, and their reaction be recorded first; that counts as no time at all.
func (b blockage) measure(cl *testCluster) time.Duration {
	cl.Helper()
	mark := cl.settle(cl, b.held...)
	b.unblock()
	from, since := time.Now(), time.Time{}
	ctx, cancel := context.WithTimeout(cl.Context(), harness.Timeout)
	defer cancel()
	triggered := b.trigger == nil
	var reactions []journal.Event
	for e := range cl.emu.Journal().Follow(ctx, mark) {
		switch {
		case !triggered && b.trigger.is(e):
			triggered, from, since = true, end(e), e.Time
		case b.reaction.is(e):
			reactions = append(reactions, e)
		}
		for _, reaction := range reactions {
			if triggered && !reaction.Time.Before(since) {
				return max(0, end(reaction).Sub(from))
			}
		}
	}
	cl.Fatalf("no reaction: %+v (triggered: %t)", b.reaction, triggered)
	return 0
}

// TestWakers: each event that unblocks an object triggers its reconcile. Periodic
// retries are an hour apart.
func TestWakers(t *testing.T) {
	cl := newTestCluster(t)
	for name, blocked := range wakers {
		t.Run(name, func(t *testing.T) {
			cl := cl.inNamespace(t)
			t.Logf("%.1f ms", float64(blocked(cl).measure(cl).Microseconds())/1000)
		})
	}
}

// BenchmarkWake reports how long it takes from the answer to the unblocking write
// until the reaction is written. Run it with -benchtime=20x.
func BenchmarkWake(b *testing.B) {
	cl := newTestCluster(b)
	for name, blocked := range wakers {
		b.Run(name, func(b *testing.B) {
			var total, longest time.Duration
			for b.Loop() {
				cl := cl.inNamespace(b)
				took := blocked(cl).measure(cl)
				total, longest = total+took, max(longest, took)
			}
			b.ReportMetric(0, "ns/op") // most of that is the preparation
			b.ReportMetric(float64(total.Microseconds())/1000/float64(b.N), "ms/reaction")
			b.ReportMetric(float64(longest.Microseconds())/1000, "ms-longest")
		})
	}
}
