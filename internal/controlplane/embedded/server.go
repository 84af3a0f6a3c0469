package embedded

import (
	"context"
	"crypto/tls"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/apiserver"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/podproxy"
)

// server is the API server as a component.
type server struct {
	plane   *ControlPlane
	current *apiserver.Server
	serving *listener
}

func (s *server) start(ctx context.Context) error {
	p := s.plane
	client, err := p.authority.NewClient(controlplane.NodeClient)
	if err != nil {
		return err
	}
	next, err := apiserver.New(apiserver.Options{
		Storage: p.objects.decorate, Address: p.address, Issuer: p.issuer, ClientAuthorities: p.authority.Pool(),
		Pods: p.opts.Pods, Nodes: podproxy.NewTransport(&tls.Config{
			MinVersion: tls.VersionTLS12, RootCAs: p.authority.Pool(), Certificates: []tls.Certificate{client.Certificate},
		}),
	})
	if err != nil {
		return err
	}
	if err := next.Start(ctx); err != nil {
		next.Stop()
		return err
	}
	serving, err := p.listen(ctx, next.Handler())
	if err != nil {
		next.Stop()
		return err
	}
	s.current, s.serving = next, serving
	return nil
}

func (s *server) stop(ctx context.Context) error {
	err := s.serving.stop(ctx)
	s.current.Stop()
	return err
}

func (s *server) kill() {
	_ = s.serving.end(context.Background()) // a request that goes on has no connection any more
	s.current.Stop()
}
