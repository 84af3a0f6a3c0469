package drivertest

import (
	"context"
	"maps"
	"net"
	"slices"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/test/bufconn"
)

// Endpoint is the target to dial, with the driver's DialOptions.
const Endpoint = "passthrough:///drivertest"

const bufferSize = 1 << 20

// Server is what scriptable drivers of all generations have in common. Its methods are
// safe for concurrent use.
type Server struct {
	register func(*grpc.Server)
	// Health, if set before Serve, is served as grpc.health.v1.
	Health *health.Server

	mu       sync.Mutex
	name     string
	server   *grpc.Server
	listener *bufconn.Listener
	served   chan struct{}
	scripts  map[string]Script
	calls    []Call
	buckets  map[string]bool
	accounts map[string]bool
	dials    int
}

func newServer(tb testing.TB, name string, register func(*grpc.Server)) *Server {
	tb.Helper()
	s := &Server{name: name, register: register, scripts: map[string]Script{}, buckets: map[string]bool{}, accounts: map[string]bool{}}
	tb.Cleanup(s.Stop)
	return s
}

// Name is the driver's name.
func (s *Server) Name() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.name
}

// Rename has the driver give another name from now on.
func (s *Server) Rename(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.name = name
}

// Serve begins to serve, after New or Stop.
func (s *Server) Serve() {
	s.mu.Lock()
	defer s.mu.Unlock()
	server := grpc.NewServer(grpc.UnaryInterceptor(s.intercept))
	s.register(server)
	if s.Health != nil {
		healthv1.RegisterHealthServer(server, s.Health)
	}
	listener, served := bufconn.Listen(bufferSize), make(chan struct{})
	s.server, s.listener, s.served = server, listener, served
	go func() {
		defer close(served)
		_ = server.Serve(listener) // ends with Stop
	}()
}

// Stop breaks all connections, as the death of the process would, and waits for the server to end.
// The driver's buckets and accounts stay.
func (s *Server) Stop() {
	s.mu.Lock()
	server, served := s.server, s.served
	s.server, s.listener = nil, nil
	s.mu.Unlock()
	if server != nil {
		server.Stop()
		<-served
	}
}

// DialOptions lead to the driver, whenever it serves.
func (s *Server) DialOptions() []grpc.DialOption {
	return []grpc.DialOption{grpc.WithContextDialer(s.dial)}
}

// Replaceable returns options that lead to the driver that current returns: the one that listens at
// an endpoint now.
func Replaceable(current func() *Server) []grpc.DialOption {
	return []grpc.DialOption{grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
		return current().dial(ctx, address)
	})}
}

// Buckets returns the IDs of the buckets that the driver has, sorted.
func (s *Server) Buckets() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.buckets))
}

// Accounts returns the IDs of the accounts that the driver has, sorted.
func (s *Server) Accounts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.accounts))
}

// AddBucket makes a bucket that exists without COSI.
func (s *Server) AddBucket(id string) { s.set(s.buckets, id, true) }

func (s *Server) set(of map[string]bool, id string, exists bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if exists {
		of[id] = true
		return
	}
	delete(of, id)
}

// Dials returns how often a client has tried to connect.
func (s *Server) Dials() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dials
}

func (s *Server) dial(ctx context.Context, _ string) (net.Conn, error) {
	s.mu.Lock()
	s.dials++
	listener := s.listener
	s.mu.Unlock()
	if listener == nil {
		return nil, net.ErrClosed
	}
	return listener.DialContext(ctx)
}
