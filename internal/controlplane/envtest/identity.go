//go:build unix

package envtest

import (
	"crypto/tls"
	"fmt"

	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

// AdminConfig returns a client configuration with all rights, of group system:masters.
// It is for the user of the control plane, not for its components. The caller owns it.
func (c *ControlPlane) AdminConfig() *rest.Config { return rest.CopyConfig(c.admin) }

// Kubeconfig returns the same rights as a file for kubectl and other programs. It
// contains a private key.
func (c *ControlPlane) Kubeconfig() []byte { return c.adminKubeconfig }

// UserConfig returns a client configuration of a user with that name and groups. RBAC objects
// define the rights of the user. The name may be a ServiceAccount's. The configuration is valid
// until Stop.
func (c *ControlPlane) UserConfig(name string, groups ...string) (*rest.Config, error) {
	cfg, err := c.apiServer.user(name, groups...)
	if err != nil {
		return nil, fmt.Errorf("make a certificate for user %q: %w", name, err)
	}
	return cfg, nil
}

// InProcessConfig returns nil: the API server is another process.
func (*ControlPlane) InProcessConfig(string, ...string) *rest.Config { return nil }

// issueAdmin is called once, when the API server has its certificate authority.
func (c *ControlPlane) issueAdmin() (err error) {
	if c.admin, err = c.UserConfig(controlplane.AdminUser, controlplane.AdminGroup); err != nil {
		return err
	}
	c.adminKubeconfig, err = controlplane.NewKubeconfig(c.admin)
	return err
}

// NodeServing returns the TLS configuration of a node's server on this machine.
func (c *ControlPlane) NodeServing() (*tls.Config, error) {
	if !c.opts.Pods {
		return nil, controlplane.ErrNoPods
	}
	return controlplane.NewNodeServing(c.apiServer.authority)
}
