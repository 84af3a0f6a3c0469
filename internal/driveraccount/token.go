package driveraccount

import (
	"context"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// tokenLifetime is longer than an emulator runs. A cluster may grant less.
const tokenLifetime = 365 * 24 * time.Hour

// clusterName is the name of cluster and context in the kubeconfig.
const clusterName = "emulator"

func requestToken(ctx context.Context, c client.Client, name types.NamespacedName) (string, error) {
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: name.Namespace, Name: name.Name}}
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		ExpirationSeconds: new(int64(tokenLifetime / time.Second)),
	}}
	err := c.SubResource("token").Create(ctx, account, request)
	if apierrors.IsNotFound(err) {
		return "", fmt.Errorf("ServiceAccount %s of the driver not found; apply deploy/driver-rbac, or the manifest of --driver-rbac, "+
			"or give --install: %w", name, err)
	}
	if err != nil {
		return "", fmt.Errorf("get a token of the driver's ServiceAccount %s: %w", name, err)
	}
	return request.Status.Token, nil
}

func writeKubeconfig(file string, cfg *rest.Config, name types.NamespacedName, token string) error {
	config := clientcmdapi.NewConfig()
	config.Clusters[clusterName] = &clientcmdapi.Cluster{
		Server: cfg.Host, CertificateAuthorityData: cfg.CAData, InsecureSkipTLSVerify: cfg.Insecure, TLSServerName: cfg.ServerName,
	}
	config.AuthInfos[name.Name] = &clientcmdapi.AuthInfo{Token: token}
	config.Contexts[clusterName] = &clientcmdapi.Context{
		Cluster: clusterName, AuthInfo: name.Name, Namespace: name.Namespace,
	}
	config.CurrentContext = clusterName
	if err := clientcmd.WriteToFile(*config, file); err != nil {
		return fmt.Errorf("write the driver's kubeconfig: %w", err)
	}
	return nil
}
