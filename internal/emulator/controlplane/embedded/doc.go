// Package embedded runs a Kubernetes API server in this process.
package embedded

import (
	_ "k8s.io/apiextensions-apiserver/pkg/apiserver"
	_ "k8s.io/apiserver/pkg/registry/generic/registry"
	_ "k8s.io/apiserver/pkg/server"
)
