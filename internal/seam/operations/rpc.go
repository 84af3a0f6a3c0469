package operations

import (
	"maps"
	"slices"
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// Methods returns the methods of the protocol in all its versions and dialects, sorted. A method
// has the same name in all.
func Methods() []string {
	all := map[string]bool{string(existing().Name()): true}
	for _, version := range objectstorage.Versions() {
		for _, name := range MethodsOf(version) {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// existing is the method of earlier dialects that no version has.
func existing() protoreflect.MethodDescriptor {
	services := dialects.File_cosi_v1alpha2_dialects_dialects_proto.Services()
	return services.ByName("OneCall").Methods().ByName("DriverGetExistingBucket")
}

// MethodsOf returns the methods of a version of the protocol, sorted.
func MethodsOf(version objectstorage.Version) []string {
	return slices.Sorted(maps.Keys(methods()[version]))
}

// Method returns a method of a version of the protocol, or nil.
func Method(version objectstorage.Version, name string) protoreflect.MethodDescriptor {
	return methods()[version][name]
}

var methods = sync.OnceValue(func() map[objectstorage.Version]map[string]protoreflect.MethodDescriptor {
	all := map[objectstorage.Version]map[string]protoreflect.MethodDescriptor{}
	for version, file := range map[objectstorage.Version]protoreflect.FileDescriptor{
		objectstorage.V1alpha1: cosiv1alpha1.File_cosi_v1alpha1_cosi_proto,
		objectstorage.V1alpha2: cosiv1alpha2.File_cosi_v1alpha2_cosi_proto,
	} {
		all[version] = map[string]protoreflect.MethodDescriptor{}
		for i := range file.Services().Len() {
			of := file.Services().Get(i).Methods()
			for j := range of.Len() {
				all[version][string(of.Get(j).Name())] = of.Get(j)
			}
		}
	}
	return all
})
