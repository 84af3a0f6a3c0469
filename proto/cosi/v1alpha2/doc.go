// Package cosi is the Go form of the COSI protocol v1alpha2 between the sidecar
// and a driver. It is generated from cosi.proto, which documents the calls.
package cosi

import (
	"google.golang.org/protobuf/proto"

	"github.com/cosi-emu/cosi-emu/proto/internal/registry"
)

// descriptors are those of this package.
var descriptors = registry.New()

// Messages returns an empty request and response of a method, given as
// /SERVICE/METHOD, or nil if the protocol does not have it.
func Messages(method string) (request, response proto.Message) { return descriptors.Messages(method) }
