package emulator

import (
	"net/http"

	"k8s.io/client-go/rest"
)

// past sends requests for earlier states of objects with the emulator's own rights; see seam.Hooks.
type past struct{ emulator *Emulator }

var _ http.RoundTripper = past{}

// RoundTrip implements http.RoundTripper.
func (p past) RoundTrip(req *http.Request) (*http.Response, error) {
	cfg := p.emulator.Config()
	transport, err := rest.TransportFor(cfg)
	if err != nil {
		return nil, err
	}
	server, _, err := rest.DefaultServerUrlFor(cfg)
	if err != nil {
		return nil, err
	}
	req = req.Clone(req.Context())
	req.URL.Scheme, req.URL.Host = server.Scheme, server.Host
	return transport.RoundTrip(req)
}
