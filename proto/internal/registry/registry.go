// Package registry has the descriptors of one generation of the COSI protocol. The generated code
// registers them here, and not in protobuf's global registry, where two generations panic: both
// extend FieldOptions with the numbers 1115 and 1116, and so does other code generated from the
// same protocol.
package registry

import (
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// Registry has the files and the types of one generation. It is filled when the program starts, and
// is safe for concurrent use afterwards.
type Registry struct {
	// Files finds files and services, including the files of protobuf itself.
	Files *Files
	// Types finds the Go types of messages, enums and extensions.
	Types *protoregistry.Types
}

// New returns an empty Registry. Its files may import the given ones.
func New(imports ...protoreflect.FileDescriptor) Registry {
	return Registry{Files: &Files{imports: imports}, Types: new(protoregistry.Types)}
}

// Files has the files of one generation.
type Files struct {
	protoregistry.Files

	imports []protoreflect.FileDescriptor
}

// FindFileByPath returns a file of the generation, or one that it imports.
func (f *Files) FindFileByPath(path string) (protoreflect.FileDescriptor, error) {
	if file, err := f.Files.FindFileByPath(path); err == nil {
		return file, nil
	}
	for _, file := range f.imports {
		if file.Path() == path {
			return file, nil
		}
	}
	return protoregistry.GlobalFiles.FindFileByPath(path)
}

// Messages returns an empty request and response of a method, given as
// /SERVICE/METHOD, or nil if the generation does not have it.
func (r Registry) Messages(method string) (request, response proto.Message) {
	service, name, _ := strings.Cut(strings.TrimPrefix(method, "/"), "/")
	found, err := r.Files.FindDescriptorByName(protoreflect.FullName(service))
	if err != nil {
		return nil, nil
	}
	described, ok := found.(protoreflect.ServiceDescriptor)
	if !ok {
		return nil, nil
	}
	m := described.Methods().ByName(protoreflect.Name(name))
	if m == nil {
		return nil, nil
	}
	return r.empty(m.Input()), r.empty(m.Output())
}

func (r Registry) empty(of protoreflect.MessageDescriptor) proto.Message {
	found, err := r.Types.FindMessageByName(of.FullName())
	if err != nil {
		return nil
	}
	return found.New().Interface()
}
