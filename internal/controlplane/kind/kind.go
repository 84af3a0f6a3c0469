// Package kind names the kinds of control planes. It links none of them.
package kind

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is an implementation of a control plane, or Auto.
type Kind string

const (
	// Auto uses the programs if they are on this machine or can be downloaded, and
	// otherwise an API server in this process.
	Auto Kind = "auto"
	// Envtest runs kube-apiserver, etcd and kube-controller-manager. If they can neither be
	// found nor downloaded, they are built, which takes minutes.
	Envtest Kind = "envtest"
	// Embedded runs an API server in this process.
	Embedded Kind = "embedded"
)

// Usage describes the kinds in the help of a flag.
const Usage = "envtest (kube-apiserver and etcd), embedded (an API server in this process), or auto: " +
	"envtest if its programs are on this machine or can be downloaded, otherwise embedded"

// All returns the kinds.
func All() []Kind { return []Kind{Auto, Envtest, Embedded} }

// Parse returns the kind with a name; empty means Auto.
func Parse(name string) (Kind, error) {
	if name == "" {
		return Auto, nil
	}
	if !slices.Contains(All(), Kind(name)) {
		return "", fmt.Errorf("control plane %q is unknown; choose one of %s", name, strings.Join(names(), ", "))
	}
	return Kind(name), nil
}

func names() []string {
	var all []string
	for _, kind := range All() {
		all = append(all, string(kind))
	}
	return all
}
