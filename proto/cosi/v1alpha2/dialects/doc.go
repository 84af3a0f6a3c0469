// Package dialects is the Go form of the messages of earlier dialects of COSI v1alpha2,
// as far as they differ from the KEP's. It is generated from dialects.proto.
package dialects

import (
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/internal/registry"
)

// descriptors are those of this package, and the files that it imports.
var descriptors = registry.New(cosiv1alpha2.File_cosi_v1alpha2_cosi_proto)
