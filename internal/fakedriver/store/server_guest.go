package store

import (
	"context"
	"net"
	"net/http"
)

// Patient puts the store's deadlines on what the handler of another protocol
// reads from its clients and writes to them.
func (s *Store) Patient(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := &exchange{w: w, r: r}
		defer s.bePatient(x)()
		next.ServeHTTP(x.w, x.r)
	})
}

// ServeGuest serves the handler of another protocol, as Serve does that of S3.
func (s *Store) ServeGuest(ctx context.Context, l net.Listener, handler http.Handler) error {
	return s.serveHandler(ctx, l, handler)
}
