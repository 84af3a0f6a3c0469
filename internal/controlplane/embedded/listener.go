package embedded

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/apiserver"
)

// headerTimeout is how long a client may take to send the header of a request.
const headerTimeout = 10 * time.Second

// listener serves an API server on its port, and to clients of this process.
type listener struct {
	http     *http.Server
	local    *apiserver.Local
	cancel   context.CancelFunc // of the requests
	closed   chan struct{}      // closed when the port is free
	requests requests
}

// listen serves a handler.
func (c *ControlPlane) listen(ctx context.Context, handler http.Handler) (*listener, error) {
	config, err := c.tlsConfig()
	if err != nil {
		return nil, err
	}
	socket, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.bind)
	if err != nil {
		return nil, err
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l := &listener{local: &c.local, cancel: cancel, closed: make(chan struct{})}
	counted := l.requests.count(closeUpgraded(handler))
	l.http = &http.Server{
		Handler: counted, TLSConfig: config, ReadHeaderTimeout: headerTimeout,
		BaseContext: func(net.Listener) context.Context { return running },
		ErrorLog:    slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // clients that go away
	}
	go func() {
		defer close(l.closed)
		_ = l.http.ServeTLS(socket, "", "") // it returns when end has closed it
	}()
	c.local.Serve(running, counted)
	return l, nil
}

func (c *ControlPlane) tlsConfig() (*tls.Config, error) {
	pair, err := c.authority.NewServer(controlplane.APIServer, c.opts.Listen.Names()...)
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair.Certificate},
		// The API server verifies the certificate: a client with a wrong one gets an answer.
		ClientCAs: c.authority.Pool(), ClientAuth: tls.RequestClientCert,
		NextProtos: []string{"h2", "http/1.1"},
	}, nil
}

// stop lets requests finish until ctx ends, except streams, and takes no others.
func (l *listener) stop(ctx context.Context) error {
	l.local.Refuse()
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_ = l.http.Shutdown(ended) // it closes the port, and waits for nothing
	_ = l.requests.wait(ctx, false)
	return l.end(context.WithoutCancel(ctx))
}

// end ends all requests.
func (l *listener) end(ctx context.Context) error {
	l.cancel()
	err := l.http.Close()
	<-l.closed
	ctx, cancel := context.WithTimeout(ctx, endTimeout)
	defer cancel()
	return errors.Join(err, l.requests.wait(ctx, true))
}

// endTimeout is how long requests may go on after their context has ended.
const endTimeout = 10 * time.Second
