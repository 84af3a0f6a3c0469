package controlplane

import (
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// The administrator of a control plane.
const (
	AdminUser  = "cosi-emu-admin"
	AdminGroup = "system:masters"
)

// contextName is the name of the context, cluster and user in a kubeconfig.
const contextName = "cosi-emu"

// NewKubeconfig returns a file with the client certificate of a configuration.
func NewKubeconfig(cfg *rest.Config) ([]byte, error) {
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
