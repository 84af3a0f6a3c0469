package embedded

import (
	"crypto/tls"
	"fmt"

	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

// AdminConfig returns a client configuration with all rights, of group system:masters.
func (c *ControlPlane) AdminConfig() *rest.Config { return rest.CopyConfig(c.admin) }

// Kubeconfig returns the same rights as a file for kubectl and other programs. It
// contains a private key.
func (c *ControlPlane) Kubeconfig() []byte { return c.kubeconfig }

// UserConfig returns a client configuration of a user with that name and groups, with a
// client certificate.
func (c *ControlPlane) UserConfig(name string, groups ...string) (*rest.Config, error) {
	pair, err := c.authority.NewClient(name, groups...)
	if err != nil {
		return nil, fmt.Errorf("make a certificate for user %q: %w", name, err)
	}
	return &rest.Config{
		Host: "https://" + c.address,
		TLSClientConfig: rest.TLSClientConfig{
			CAData: c.authority.CertificatePEM(), CertData: pair.CertificatePEM, KeyData: pair.KeyPEM,
		},
		QPS: -1, // no other client uses this API server
	}, nil
}

// InProcessConfig returns a client configuration of the same user whose requests do not
// leave this process.
func (c *ControlPlane) InProcessConfig(name string, groups ...string) *rest.Config {
	return &rest.Config{
		Host:      "https://" + c.address,
		Transport: c.local.Transport(&user.DefaultInfo{Name: name, Groups: groups}),
		QPS:       -1,
	}
}

// configOf is the configuration of the control plane's own components.
func (c *ControlPlane) configOf(name string) *rest.Config {
	return c.InProcessConfig("system:serviceaccount:kube-system:"+name, controlplane.AdminGroup)
}

// NodeServing returns the TLS configuration of a node's server on this machine.
func (c *ControlPlane) NodeServing() (*tls.Config, error) {
	if !c.opts.Pods {
		return nil, controlplane.ErrNoPods
	}
	return controlplane.NewNodeServing(c.authority)
}
