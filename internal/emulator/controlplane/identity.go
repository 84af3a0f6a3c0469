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

// AdminConfig returns a client configuration with all rights, of group system:masters.
// It is for the user of the control plane, not for its components. The caller owns it.
func (c *ControlPlane) AdminConfig() *rest.Config { return rest.CopyConfig(c.admin) }

// Kubeconfig returns the same rights as a file for kubectl and other programs. It
// contains a private key.
func (c *ControlPlane) Kubeconfig() []byte { return c.adminKubeconfig }

// UserConfig returns a client configuration of a user with that name and groups. RBAC
// objects define the rights of the user. The name may be that of a ServiceAccount. The
// configuration is valid until Stop.
func (c *ControlPlane) UserConfig(name string, groups ...string) (*rest.Config, error) {
	cfg, err := c.apiServer.user(name, groups...)
	if err != nil {
		return nil, fmt.Errorf("make a certificate for user %q: %w", name, err)
	}
	return cfg, nil
}

// issueAdmin is called once, when the API server has its certificate authority.
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
