package azure

import (
	"net/http"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/httpserver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
)

// Service serves Azure Blob Storage. Its methods are safe for concurrent use.
type Service struct {
	*pipeline.Service

	options  Options
	single   http.Handler // for the calls of a batch, which have been received
	protocol *pipeline.Protocol[*exchange]
}

// New returns a service for the store's buckets.
func New(options Options) (*Service, error) {
	s := &Service{options: options.WithDefaults()}
	s.protocol = s.newProtocol()
	s.Service = pipeline.NewService(s.options, http.HandlerFunc(s.serve))
	s.single = s.options.Middleware(s.Unwrapped())
	return s, nil
}

// Describe returns the operation of a request without authentication, for recording and selecting
// requests.
func (s *Service) Describe(r *http.Request) httpserver.Request {
	t, err := locate(r.URL)
	if err != nil {
		return httpserver.Request{}
	}
	described := httpserver.Request{Bucket: t.container, Key: t.blob}
	if op, ok := find(r.Method, t, r.URL.Query(), r.Header); ok {
		described.Operation = op.name
	}
	return described
}
