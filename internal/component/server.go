package component

import "context"

// Server is a runner that is ready immediately, because its listener is open.
type Server func(context.Context) error

// Start implements Runner.
func (s Server) Start(ctx context.Context) error { return s(ctx) }

// WaitReady implements Runner.
func (s Server) WaitReady(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
