package connection

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// RPC is a method of a generated gRPC client.
type RPC[request, response any] func(context.Context, *request, ...grpc.CallOption) (*response, error)

// Call makes one call with a deadline. The driver must be identified: a call that
// another driver receives by mistake could destroy data.
func Call[request, response any](ctx context.Context, c *Conn, method string, do RPC[request, response], in *request) (*response, error) {
	if !c.identified.Load() {
		return nil, c.callError(method, status.Errorf(codes.Unavailable, "no connection to the driver at %s", c.options.Endpoint))
	}
	ctx, cancel := context.WithTimeout(ctx, c.options.RPCTimeout)
	defer cancel()
	out, err := do(ctx, in)
	if err != nil {
		return nil, c.callError(method, err)
	}
	return out, nil
}
