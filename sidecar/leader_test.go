package sidecar_test

import (
	"context"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/sidecar"
)

// Of two sidecars of a driver one is at work, and the other takes over at once
// when that one stops.
func TestOneSidecarLeads(t *testing.T) {
	w := newWorld(t)
	w.options.LeaderElection, w.options.LeaderElectionNamespace = true, "cosi-system"
	stop := w.start()
	standby, err := sidecar.New(t.Context(), w.config(), w.options)
	w.must(err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- standby.Start(ctx) }()
	w.readyBucket()
	soon, cancelSoon := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancelSoon()
	if standby.WaitReady(soon) == nil {
		t.Error("the standby is ready although it does not lead")
	}
	stop()
	later, cancelLater := context.WithTimeout(ctx, patience)
	defer cancelLater()
	w.must(standby.WaitReady(later))
	w.readyBucket()
	cancel()
	w.must(<-ended)
}
