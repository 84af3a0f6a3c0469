package drivertest

import (
	"context"
	"fmt"
	"path"
	"slices"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/cosi-emu/cosi-emu/proto/secretparameters"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// Next calls the driver that the script replaces, which behaves correctly.
type Next func() (proto.Message, error)

// Script takes the place of a call. It may call next.
type Script func(ctx context.Context, request proto.Message, next Next) (proto.Message, error)

// Call is a call that the driver has received.
type Call struct {
	// Method is the name of the call, without its service.
	Method string
	// Request is the request of the call.
	Request proto.Message
	// Secret is the data of the Secret in the metadata of the call; nil without one.
	Secret map[string]string
}

// Script has a method, such as DriverCreateBucket, follow the script. A nil script restores the
// normal behavior.
func (s *Server) Script(method string, script Script) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scripts[method] = script
}

// Fail has a method return an error.
func (s *Server) Fail(method string, code codes.Code, message string) {
	s.Script(method, func(context.Context, proto.Message, Next) (proto.Message, error) {
		return nil, status.Error(code, message)
	})
}

// Answer has a method answer a message.
func (s *Server) Answer(method string, response proto.Message) {
	s.Script(method, func(context.Context, proto.Message, Next) (proto.Message, error) {
		return response, nil
	})
}

// Hang has a method not answer before the caller gives up.
func (s *Server) Hang(method string) {
	s.Script(method, func(ctx context.Context, _ proto.Message, _ Next) (proto.Message, error) {
		<-ctx.Done()
		return nil, status.FromContextError(ctx.Err()).Err()
	})
}

// Calls returns the calls received so far, in their order: all, or the calls of the given methods.
func (s *Server) Calls(methods ...string) []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	var calls []Call
	for _, call := range s.calls {
		if len(methods) == 0 || slices.Contains(methods, call.Method) {
			calls = append(calls, call)
		}
	}
	return calls
}

// AwaitCalls waits until the driver has received n more calls of a method. What follows the last
// call but one has been done then, if one object is concerned.
func (s *Server) AwaitCalls(tb testing.TB, method string, n int) {
	tb.Helper()
	before := len(s.Calls(method))
	harness.Eventually(tb, method+" is repeated", func(context.Context) error {
		if more := len(s.Calls(method)) - before; more < n {
			return fmt.Errorf("%d calls, want %d", more, n)
		}
		return nil
	})
}

// Methods returns the names of the calls received so far, in their order.
func (s *Server) Methods() []string {
	var methods []string
	for _, call := range s.Calls() {
		methods = append(methods, call.Method)
	}
	return methods
}

func (s *Server) intercept(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	message, ok := request.(proto.Message)
	if !ok {
		return nil, status.Errorf(codes.Internal, "%T is not a message", request)
	}
	secret, err := secretparameters.FromIncomingContext(ctx)
	if err != nil {
		return nil, err
	}
	method := path.Base(info.FullMethod)
	s.mu.Lock()
	s.calls = append(s.calls, Call{Method: method, Request: message, Secret: secret})
	script := s.scripts[method]
	s.mu.Unlock()
	next := func() (proto.Message, error) {
		response, err := handler(ctx, request)
		if err != nil {
			return nil, err
		}
		return response.(proto.Message), nil //nolint:forcetypeassert // generated code returns nothing else
	}
	if script == nil {
		return next()
	}
	return script(ctx, message, next)
}
