package ui_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator"
)

const (
	manyObjects = 2000
	// maxElements is the maximum number of elements of the page.
	maxElements = 6000
	// eventPeriod is the time between two events: 100 a second.
	eventPeriod = 10 * time.Millisecond
)

func (s *stage) flood(ctx context.Context) {
	ticker := time.NewTicker(eventPeriod)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			s.record(1)
		}
	}
}

// TestMany verifies that with many objects and events, the number of elements is limited, and the
// page answers.
func TestMany(t *testing.T) {
	s := start(t, emulator.Options{})
	for _, name := range []string{emulator.ComponentController, emulator.ComponentSidecar} { // which would bind the claims
		if err := s.emu.Component(name).Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	b := open(t, s)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.flood(ctx) }()
	t.Cleanup(func() { stop(); <-done })
	for i := range manyObjects {
		if err := s.emu.Client().Create(t.Context(), claimOf(fmt.Sprintf("claim-%04d", i))); err != nil {
			t.Fatal(err)
		}
	}
	b.Await(fmt.Sprintf("parseInt(document.getElementById('count').textContent) >= %d", manyObjects))
	expectBounded := func(when string) {
		t.Helper()
		if elements, _ := b.Eval("document.getElementsByTagName('*').length").(float64); elements > maxElements {
			t.Errorf("%s the page has %v elements, want at most %d", when, elements, maxElements)
		}
		if drawn, _ := b.Eval("document.querySelectorAll('.node').length").(float64); drawn > 200 {
			t.Errorf("%s the page draws %v objects", when, drawn)
		}
	}
	expectBounded("with all objects")

	b.Eval("document.getElementById('graph').scrollTop = 1e9, 0")
	shown(b, selector("BucketClaim", "demo/claim-1999", ""))
	gone(b, selector("BucketClaim", "demo/claim-0000", ""))
	expectBounded("at the end")
	b.Set("#find", "claim-0777")
	shown(b, selector("BucketClaim", "demo/claim-0777", ""))
	b.Click(selector("BucketClaim", "demo/claim-0777", ""))
	b.AwaitText("#yaml", "name: claim-0777")
	b.Press("Escape")
	b.Set("#find", "")

	s.record(5 * manyObjects)
	b.Await(fmt.Sprintf("%s >= %d", latest, s.record(1)))
	expectBounded("after many events")
	b.Click("#pause")
	b.Click("#older")
	b.Await("document.getElementById('pause').getAttribute('aria-pressed') === 'true'")
	expectBounded("in the past")
}
