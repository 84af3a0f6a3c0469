package emulator

import (
	"context"
	"time"
)

// TakeLease takes the Lease of a component, without a fault.
func (e *Emulator) TakeLease(ctx context.Context, component string, lasts time.Duration) error {
	return e.takeLease(ctx, component, lasts, "")
}

// AddReplica adds a replica, and returns why that is impossible.
func (e *Emulator) AddReplica(ctx context.Context, name string) (*Component, error) {
	return e.addReplica(ctx, name)
}
