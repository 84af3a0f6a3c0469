package service

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/internal/component"
	"github.com/cosi-emu/cosi-emu/internal/seam"
)

// Instance is a service on its port. All its incarnations share one server, whose state is in the
// store.
type Instance struct {
	Service

	port    *port
	tls     *tls.Config // nil without TLS
	server  Server
	current atomic.Pointer[seam.Incarnation]
}

// Place is where a service listens.
type Place struct {
	// Bind is the address that the service listens on.
	Bind string
	// Wanted is the port of the options, and Saved the port in the snapshot or the data directory; 0 means none.
	Wanted, Saved int
	// API is the version of the objects, which have the URL of the service.
	API objectstorage.Version
}

// Reserve returns a service on a port, which it holds for the first incarnation. The warning is
// empty if the port is the snapshot's. The caller releases the instance.
func Reserve(ctx context.Context, s Service, place Place) (i *Instance, warning string, err error) {
	choice := portChoice{bind: place.Bind, wanted: place.Wanted, saved: place.Saved, moved: s.Moved(place.API)}
	reserved, warning, err := choice.reserve(ctx, s.Protocol().String())
	return &Instance{Service: s, port: reserved}, warning, err
}

// Release frees the port if no incarnation has used it.
func (i *Instance) Release() error { return i.port.release() }

// Secure makes the service use TLS, unless the configuration is nil.
func (i *Instance) Secure(config *tls.Config) { i.tls = config }

// URL returns the URL of a host at the port of the service.
func (i *Instance) URL(host string) string {
	scheme := "http://"
	if i.tls != nil {
		scheme = "https://"
	}
	return scheme + net.JoinHostPort(host, i.port.number)
}

// Start opens the server of all incarnations, with the seams of the current one.
func (i *Instance) Start(o Options) (server Server, err error) {
	o.Now, o.Middleware = i.Now, i.Middleware
	i.server, err = i.Open(o)
	return i.server, err
}

// Create is the factory of the component. Clients can reach the service only while an incarnation
// runs.
func (i *Instance) Create(ctx context.Context, next *seam.Incarnation) (component.Runner, error) {
	listener, err := i.port.listen(ctx)
	if err != nil {
		return nil, err
	}
	if i.tls != nil {
		listener = tls.NewListener(listener, i.tls)
	}
	i.current.Store(next)
	return component.Server(func(ctx context.Context) error { return i.server.Serve(ctx, listener) }), nil
}

// Current returns the current incarnation; nil before the first.
func (i *Instance) Current() *seam.Incarnation { return i.current.Load() }

// Now is the clock of the current incarnation.
func (i *Instance) Now() time.Time {
	if current := i.current.Load(); current != nil {
		return current.Now()
	}
	return time.Now()
}

// Middleware makes requests operations of the current incarnation.
func (i *Instance) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.current.Load().Middleware(i.server, next).ServeHTTP(w, r)
	})
}
