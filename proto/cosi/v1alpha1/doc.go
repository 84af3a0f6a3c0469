// Package cosi is the Go form of the COSI protocol v1alpha1 between the sidecar
// and a driver, which most drivers speak. It is generated from cosi.proto, which
// documents the calls.
package cosi

import "github.com/cosi-emu/cosi-emu/proto/registry"

// Registry has the descriptors of this package.
var Registry = registry.New()
