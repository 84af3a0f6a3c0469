// Package dialects has the earlier dialects of COSI v1alpha2: the messages that differ from the
// KEP's, generated from dialects.proto, a client for drivers of all dialects, and Detect, which
// asks a driver for its dialect.
package dialects

import (
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/internal/registry"
)

// descriptors are the descriptors of this package, and of the files that it imports.
var descriptors = registry.New(cosiv1alpha2.File_cosi_v1alpha2_cosi_proto)
