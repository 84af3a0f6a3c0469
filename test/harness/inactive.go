package harness

import "context"

// Inactive is a component that does nothing until its end. It is an emulator.Runner.
type Inactive struct{}

// Start returns when the context ends.
func (Inactive) Start(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// WaitReady returns at once.
func (Inactive) WaitReady(context.Context) error { return nil }
