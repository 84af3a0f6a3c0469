package worker

import (
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// writeKubeconfig writes a configuration for clients with the token in a directory, where it is renewed.
func writeKubeconfig(path, server, dir string) error {
	config := api.NewConfig()
	config.Clusters["pod"] = &api.Cluster{Server: server, CertificateAuthority: filepath.Join(dir, "ca.crt")}
	config.AuthInfos["pod"] = &api.AuthInfo{TokenFile: filepath.Join(dir, "token")}
	config.Contexts["pod"] = &api.Context{Cluster: "pod", AuthInfo: "pod"}
	config.CurrentContext = "pod"
	return clientcmd.WriteToFile(*config, path)
}
