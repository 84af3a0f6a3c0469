package gcs

import (
	"net/http"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/signature"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3"
)

// Service serves Google Cloud Storage. Its methods are safe for concurrent use.
type Service struct {
	*pipeline.Service

	options  Options
	protocol *pipeline.Protocol[*exchange]
	single   http.Handler // for the calls of a batch, which have been received
	xml      *s3.Service  // for signed requests of the XML API
	// signatures verifies requests of the XML API.
	signatures *signature.Verifier
}

// New returns a service for the store's buckets.
func New(options Options) (*Service, error) {
	s := &Service{options: options.withDefaults()}
	s.protocol = s.newProtocol()
	s.signatures = signature.New(options.Store, s.options.Now)
	xml := s3.Options{Options: s.options.Options, CORSOrigins: options.CORSOrigins, Hosts: []string{}, Dialect: s.dialect()}
	xml.Middleware = nil
	var err error
	if s.xml, err = s3.New(xml); err != nil {
		return nil, err
	}
	s.Service = pipeline.NewService(s.options.Options, http.HandlerFunc(s.route))
	s.single = s.options.Middleware(s.Unwrapped())
	return s, nil
}
