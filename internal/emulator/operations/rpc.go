package operations

import (
	"slices"
	"sync"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// Methods returns the methods of the protocol, sorted.
func Methods() []string { return slices.Clone(methods()) }

var methods = sync.OnceValue(func() []string {
	var names []string
	services := cosiv1alpha2.File_cosi_v1alpha2_cosi_proto.Services()
	for i := range services.Len() {
		of := services.Get(i).Methods()
		for j := range of.Len() {
			names = append(names, string(of.Get(j).Name()))
		}
	}
	slices.Sort(names)
	return names
})
