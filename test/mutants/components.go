package mutants

import (
	"context"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	"google.golang.org/grpc"
	"k8s.io/client-go/rest"

	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	"github.com/cosi-emu/cosi-emu/emulator"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
)

// Short delays, for short explorations.
const (
	retryBase  = 5 * time.Millisecond
	retryMax   = 50 * time.Millisecond
	rpcTimeout = 500 * time.Millisecond
)

func ofController(name, bug string, m mutations, oracles ...string) Mutant {
	return Mutant{Name: name, Bug: bug, Oracles: oracles, Implementations: emulator.Implementations{
		Controller: func(cfg *rest.Config, log logr.Logger) (emulator.Runner, error) {
			mutate(cfg, &mutator{mutations: m})
			return cosicontroller.New(cfg, cosicontroller.Options{RetryBaseDelay: retryBase, RetryMaxDelay: retryMax, Logger: log})
		},
	}}
}

func ofSidecar(name, bug string, m mutations, oracles ...string) Mutant {
	return Mutant{Name: name, Bug: bug, Oracles: oracles, Implementations: emulator.Implementations{
		Sidecar: func(ctx context.Context, cfg *rest.Config, to emulator.SidecarConnection, log logr.Logger) (emulator.Runner, error) {
			c := &mutator{mutations: m}
			mutate(cfg, c)
			return cosisidecar.New(ctx, cfg, cosisidecar.Options{
				Endpoint:       to.Endpoint,
				DialOptions:    append([]grpc.DialOption{grpc.WithChainUnaryInterceptor(c.call)}, to.DialOptions...),
				RetryBaseDelay: retryBase, RetryMaxDelay: retryMax, RPCTimeout: rpcTimeout, Logger: log,
			})
		},
	}}
}

// mutate puts a mutator between a component and the API server.
func mutate(cfg *rest.Config, c *mutator) {
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return &transport{c, next} })
}
