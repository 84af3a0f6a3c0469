package manager

import (
	"os"
	"strings"
)

// podNamespaceFile is where Kubernetes puts the namespace of a Pod beside its
// ServiceAccount's token.
const podNamespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// PodNamespace is the namespace of the Pod that the process runs in, or "" if it
// runs in none.
func PodNamespace() string {
	content, err := os.ReadFile(podNamespaceFile)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(content))
}
