package controlplane

import (
	"crypto/tls"
	"errors"
	"fmt"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/certs"
	"github.com/cosi-emu/cosi-emu/internal/tcpport"
)

// NodeClient is the user whose certificate the API server shows to nodes.
const NodeClient = "kube-apiserver-kubelet-client"

// ErrNoPods means that the control plane was started without Options.Pods.
var ErrNoPods = errors.New("the control plane does not support nodes: start it with Options.Pods")

// NewNodeServing returns the TLS configuration of a node's server. An authority signs its certificate,
// and has signed the certificate of NodeClient. All other clients are rejected: a node trusts the API
// server, which checks the rights of its users.
func NewNodeServing(authority *certs.Authority) (*tls.Config, error) {
	pair, err := authority.NewServer("cosi-emu node", tcpport.Loopback, "localhost")
	if err != nil {
		return nil, fmt.Errorf("make the certificate of a node: %w", err)
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair.Certificate},
		ClientCAs: authority.Pool(), ClientAuth: tls.RequireAndVerifyClientCert,
		VerifyConnection: onlyNodeClient,
	}, nil
}

// onlyNodeClient is called with a certificate that the authority has signed.
func onlyNodeClient(state tls.ConnectionState) error {
	if name := state.PeerCertificates[0].Subject.CommonName; name != NodeClient {
		return fmt.Errorf("user %q is not the API server", name)
	}
	return nil
}
