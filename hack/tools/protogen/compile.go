package main

import (
	"context"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// compile parses the files, which are relative to root, into the request that
// protoc would send to its plugins.
func compile(ctx context.Context, root string, files []string) (*pluginpb.CodeGeneratorRequest, error) {
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{root}}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	compiled, err := compiler.Compile(ctx, files...)
	if err != nil {
		return nil, err
	}
	ordered := imports{seen: map[string]bool{}}
	for _, file := range compiled {
		ordered.add(file)
	}
	return &pluginpb.CodeGeneratorRequest{
		FileToGenerate:  files,
		Parameter:       new("paths=source_relative"),
		ProtoFile:       ordered.files,
		CompilerVersion: &pluginpb.Version{},
	}, nil
}

// imports is a list of files in which each follows its imports: plugins rely on this order.
type imports struct {
	seen  map[string]bool
	files []*descriptorpb.FileDescriptorProto
}

func (l *imports) add(file protoreflect.FileDescriptor) {
	if l.seen[file.Path()] {
		return
	}
	l.seen[file.Path()] = true
	for i := range file.Imports().Len() {
		l.add(file.Imports().Get(i).FileDescriptor)
	}
	// Only the linker's own result still has the comments.
	if result, ok := file.(linker.Result); ok {
		l.files = append(l.files, result.FileDescriptorProto())
		return
	}
	l.files = append(l.files, protodesc.ToFileDescriptorProto(file))
}
