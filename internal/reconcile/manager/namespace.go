package manager

import (
	"os"
	"strings"
)

const podNamespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// PodNamespace is the namespace of the process's Pod, or "" outside of Pods.
func PodNamespace() string {
	content, err := os.ReadFile(podNamespaceFile)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(content))
}
