package mutants

import (
	"context"
	"net"
	"path"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// Errors of repeated operations.
var (
	errAlreadyExists = status.Error(codes.AlreadyExists, "already exists")
	errNotFound      = status.Error(codes.NotFound, "not found")
)

// substitution turns the options of one incarnation of a driver into the options of a driver with a
// bug. It may return a server to run with the driver.
type substitution func(*fakedriver.Options) emulator.Server

func ofDriver(name, bug string, change func() substitution, oracles ...string) Mutant {
	substitute := change()
	return Mutant{Name: name, Bug: bug, Oracles: oracles, Implementations: emulator.Implementations{
		Driver: func(o fakedriver.Options) (emulator.Server, error) {
			beside := substitute(&o)
			d, err := fakedriver.New(o)
			if err != nil || beside == nil {
				return d, err
			}
			return pair{d, beside}, nil
		},
	}}
}

// pair is a driver, and a server that runs with it.
type pair struct{ driver, beside emulator.Server }

// Serve implements emulator.Server.
func (b pair) Serve(ctx context.Context, l net.Listener) error {
	var all sync.WaitGroup
	all.Go(func() { _ = b.beside.Serve(ctx, nil) })
	defer all.Wait()
	return b.driver.Serve(ctx, l)
}

func intercept(o *fakedriver.Options, i grpc.UnaryServerInterceptor) {
	o.ServerOptions = append(o.ServerOptions, grpc.ChainUnaryInterceptor(i))
}

// rejectRepeated rejects a call that has succeeded before, in any incarnation.
func rejectRepeated(method string, rejection error) func() substitution {
	return func() substitution {
		var mu sync.Mutex
		done := map[string]bool{}
		return func(o *fakedriver.Options) emulator.Server {
			intercept(o, func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
				if path.Base(info.FullMethod) != method {
					return handle(ctx, req)
				}
				mu.Lock()
				defer mu.Unlock()
				if done[subject(req)] {
					return nil, rejection
				}
				resp, err := handle(ctx, req)
				done[subject(req)] = err == nil
				return resp, err
			})
			return nil
		}
	}
}

// subject returns the account of a call, or else its bucket.
func subject(req any) string {
	if r, ok := req.(interface{ GetAccountId() string }); ok {
		return r.GetAccountId()
	}
	if r, ok := req.(interface{ GetBucketId() string }); ok {
		return r.GetBucketId()
	}
	return ""
}

// responseLead is the delay between the response and the operation. It is longer than other
// components need to act on the response.
const responseLead = 100 * time.Millisecond

// answerFirst responds to a call at once, and executes it later, if the driver is still
// running.
func answerFirst(method string) func() substitution {
	return func() substitution {
		return func(o *fakedriver.Options) emulator.Server {
			later := make(background, 1000)
			intercept(o, func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
				if path.Base(info.FullMethod) != method {
					return handle(ctx, req)
				}
				detached := context.WithoutCancel(ctx)
				later <- func() { _, _ = handle(detached, req) }
				if method == "DriverDeleteBucket" {
					return &cosiv1alpha2.DriverDeleteBucketResponse{}, nil
				}
				return &cosiv1alpha2.DriverRevokeBucketAccessResponse{}, nil
			})
			return later
		}
	}
}

// background has the pending operations.
type background chan func()

// Serve implements emulator.Server.
func (b background) Serve(ctx context.Context, _ net.Listener) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case do := <-b:
			timer := time.NewTimer(responseLead)
			select {
			case <-ctx.Done():
				timer.Stop()
				return nil
			case <-timer.C:
				do()
			}
		}
	}
}
