package controlplane

import (
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

const (
	adminUser  = "cosi-emu-admin"
	adminGroup = "system:masters"
	// contextName is the name of the context, cluster and user in a kubeconfig.
	contextName = "cosi-emu"
)

// AdminConfig returns the configuration of a client that may do everything, a
// member of system:masters: it is for the person who uses the control plane,
// not for its components. The configuration is the caller's own.
func (c *ControlPlane) AdminConfig() *rest.Config { return rest.CopyConfig(c.admin) }

// Kubeconfig returns the same as AdminConfig for kubectl and other programs. It
// contains a private key.
func (c *ControlPlane) Kubeconfig() []byte { return c.adminKubeconfig }

// UserConfig returns the configuration of a client that the API server knows as
// the user name in groups. The user has the rights that RBAC objects give to it,
// and none without them. The name of a ServiceAccount makes it that, in the
// groups that the caller names. The configuration holds until Stop.
func (c *ControlPlane) UserConfig(name string, groups ...string) (*rest.Config, error) {
	cfg, err := c.apiServer.user(name, groups...)
	if err != nil {
		return nil, fmt.Errorf("make a certificate for user %q: %w", name, err)
	}
	return cfg, nil
}

// issueAdmin is called once, when the API server knows its authority.
func (c *ControlPlane) issueAdmin() (err error) {
	if c.admin, err = c.UserConfig(adminUser, adminGroup); err != nil {
		return err
	}
	c.adminKubeconfig, err = kubeconfig(c.admin)
	return err
}

func kubeconfig(cfg *rest.Config) ([]byte, error) {
	file := clientcmdapi.NewConfig()
	file.CurrentContext = contextName
	file.Contexts[contextName] = &clientcmdapi.Context{Cluster: contextName, AuthInfo: contextName}
	file.Clusters[contextName] = &clientcmdapi.Cluster{Server: cfg.Host, CertificateAuthorityData: cfg.CAData}
	file.AuthInfos[contextName] = &clientcmdapi.AuthInfo{ClientCertificateData: cfg.CertData, ClientKeyData: cfg.KeyData}
	data, err := clientcmd.Write(*file)
	if err != nil {
		return nil, fmt.Errorf("write a kubeconfig: %w", err)
	}
	return data, nil
}
