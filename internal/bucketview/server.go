package bucketview

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/certs"
)

// timeout bounds a request of the API server, which waits for 30 s itself.
const timeout = 30 * time.Second

// Server is the webhook that an API server calls. It is safe for concurrent use.
type Server struct {
	// Definition is the definition of Buckets that leads to the server.
	Definition *apiextensionsv1.CustomResourceDefinition

	http   *http.Server
	served chan error
}

// Listen starts a webhook on loopback. The caller must close it.
func Listen(ctx context.Context, ownID IDFunc) (*Server, error) {
	const address = "127.0.0.1"
	authority, err := certs.New()
	if err != nil {
		return nil, err
	}
	config, err := authority.ServerConfig(address)
	if err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address+":0")
	if err != nil {
		return nil, err
	}
	s := &Server{served: make(chan error, 1), http: &http.Server{
		Handler: handler(ownID), TLSConfig: config, ReadTimeout: timeout, WriteTimeout: timeout, IdleTimeout: timeout,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}}
	if s.Definition, err = definition("https://"+listener.Addr().String()+"/", authority.CertificatePEM()); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	go func() { s.served <- s.http.ServeTLS(listener, "", "") }()
	return s, nil
}

// Close ends the server, and the requests in flight.
func (s *Server) Close() error {
	err := s.http.Close()
	if served := <-s.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// maxReview is more than the 500 objects of a page of a list.
const maxReview = 64 << 20

func handler(ownID IDFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := &apiextensionsv1.ConversionReview{}
		err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxReview)).Decode(asked)
		if err != nil || asked.Request == nil {
			http.Error(w, "the body must be a ConversionReview with a request", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(&apiextensionsv1.ConversionReview{
			TypeMeta: asked.TypeMeta, Response: review(r.Context(), asked.Request, ownID),
		}) // an error is the API server's end
	})
}
