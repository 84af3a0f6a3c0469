package subprocess

import (
	"bytes"
	"os"
	"path/filepath"
)

// The variables of in-cluster configuration, with the address of the API server.
const (
	VariableServiceHost = "KUBERNETES_SERVICE_HOST"
	VariableServicePort = "KUBERNETES_SERVICE_PORT"
)

// podServiceAccount is the directory of a Pod's ServiceAccount, which is compiled into clients.
const podServiceAccount = "/var/run/secrets/kubernetes.io/serviceaccount"

// TokenFile is the file with the token of a ServiceAccount.
const TokenFile = "token"

// WithoutForeignCluster removes the variables of in-cluster configuration, unless a Pod's files are
// in a directory: a driver prefers that configuration, and would fail without the files, or reach
// another cluster.
func WithoutForeignCluster(variables map[string]string, serviceAccount string) map[string]string {
	return without(variables, serviceAccount, podServiceAccount)
}

func without(variables map[string]string, serviceAccount, podServiceAccount string) map[string]string {
	own, err := os.ReadFile(filepath.Join(serviceAccount, TokenFile))
	pods, podErr := os.ReadFile(filepath.Join(podServiceAccount, TokenFile))
	if err == nil && podErr == nil && bytes.Equal(own, pods) {
		return variables
	}
	remaining := map[string]string{}
	for name, value := range variables {
		if name != VariableServiceHost && name != VariableServicePort {
			remaining[name] = value
		}
	}
	return remaining
}
