// Package cosi is the generated Go code of the COSI protocol v1alpha2 between the sidecar and a
// driver. Its source, cosi.proto, documents the calls.
package cosi

import (
	"google.golang.org/protobuf/proto"

	"github.com/cosi-emu/cosi-emu/proto/internal/registry"
)

var descriptors = registry.New()

// Messages returns an empty request and response of a method, given as
// /SERVICE/METHOD, or nil if the protocol does not have it.
func Messages(method string) (request, response proto.Message) { return descriptors.Messages(method) }
