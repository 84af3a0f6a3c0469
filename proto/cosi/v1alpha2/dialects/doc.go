// Package dialects has the earlier dialects of COSI v1alpha2: their messages, as far as they differ
// from the KEP's, which are generated from dialects.proto, a client for drivers of all of them, and
// Detect, which asks a driver for its dialect.
package dialects

import (
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/internal/registry"
)

// descriptors are those of this package, and the files that it imports.
var descriptors = registry.New(cosiv1alpha2.File_cosi_v1alpha2_cosi_proto)
