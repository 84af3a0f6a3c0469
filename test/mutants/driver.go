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
	cosi "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// Errors of what is done again.
var (
	errAlreadyExists = status.Error(codes.AlreadyExists, "it is there already")
	errNotFound      = status.Error(codes.NotFound, "there is no such thing")
)

// substitution makes the options of a driver those of a driver with a bug, for one life
// of it.
type substitution func(*fakedriver.Options) emulator.Server

func ofDriver(name, bug string, change func() substitution, oracles ...string) Mutant {
	spoil := change()
	return Mutant{Name: name, Bug: bug, Oracles: oracles, Implementations: emulator.Implementations{
		Driver: func(o fakedriver.Options) (emulator.Server, error) {
			beside := spoil(&o)
			d, err := fakedriver.New(o)
			if err != nil || beside == nil {
				return d, err
			}
			return pair{d, beside}, nil
		},
	}}
}

// pair is a driver, and what goes on beside it.
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

// rejectRepeated has a call refused that has succeeded before. The driver knows it
// from its backend, in all its lives.
func rejectRepeated(method string, refusal error) func() substitution {
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
					return nil, refusal
				}
				resp, err := handle(ctx, req)
				done[subject(req)] = err == nil
				return resp, err
			})
			return nil
		}
	}
}

// subject is the account, or else the bucket, that a call is about.
func subject(req any) string {
	if r, ok := req.(interface{ GetAccountId() string }); ok {
		return r.GetAccountId()
	}
	if r, ok := req.(interface{ GetBucketId() string }); ok {
		return r.GetBucketId()
	}
	return ""
}

// slowness is how long after its answer a call is done: longer than it takes others to
// act on the answer.
const slowness = 100 * time.Millisecond

// answerFirst has a call answered at once, and done a little later, if the driver
// still lives.
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
					return &cosi.DriverDeleteBucketResponse{}, nil
				}
				return &cosi.DriverRevokeBucketAccessResponse{}, nil
			})
			return later
		}
	}
}

// background is what is still to be done.
type background chan func()

// Serve implements emulator.Server.
func (b background) Serve(ctx context.Context, _ net.Listener) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case do := <-b:
			timer := time.NewTimer(slowness)
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
