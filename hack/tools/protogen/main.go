// Command protogen generates Go code from the project's .proto files without a
// protoc binary: protocompile parses them, and the two public plugins write the
// code. Everything it needs comes from the Go module proxy.
//
//	protogen -root proto cosi/v1alpha2/cosi.proto
//
// The output goes beside each input.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

var plugins = []string{"protoc-gen-go", "protoc-gen-go-grpc"}

func main() {
	root := flag.String("root", ".", "directory that the files and their imports are relative to")
	flag.Parse()
	if err := run(context.Background(), *root, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "protogen:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, root string, files []string) error {
	if len(files) == 0 {
		return fmt.Errorf("no .proto files given")
	}
	request, err := compile(ctx, root, files)
	if err != nil {
		return err
	}
	input, err := proto.Marshal(request)
	if err != nil {
		return err
	}
	for _, plugin := range plugins {
		if err := generate(ctx, root, plugin, input); err != nil {
			return fmt.Errorf("%s: %w", plugin, err)
		}
	}
	return nil
}

func compile(ctx context.Context, root string, files []string) (*pluginpb.CodeGeneratorRequest, error) {
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{root}}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	compiled, err := compiler.Compile(ctx, files...)
	if err != nil {
		return nil, err
	}
	request := &pluginpb.CodeGeneratorRequest{
		FileToGenerate:  files,
		Parameter:       proto.String("paths=source_relative"),
		CompilerVersion: &pluginpb.Version{},
	}
	seen := map[string]bool{}
	for _, file := range compiled {
		request.ProtoFile = appendWithImports(request.ProtoFile, file, seen)
	}
	return request, nil
}

// appendWithImports adds a file after the files that it imports, which is the
// order that plugins rely on.
func appendWithImports(list []*descriptorpb.FileDescriptorProto, file protoreflect.FileDescriptor, seen map[string]bool) []*descriptorpb.FileDescriptorProto {
	if seen[file.Path()] {
		return list
	}
	seen[file.Path()] = true
	imports := file.Imports()
	for i := range imports.Len() {
		list = appendWithImports(list, imports.Get(i).FileDescriptor, seen)
	}
	if result, ok := file.(linker.Result); ok {
		return append(list, result.FileDescriptorProto())
	}
	return append(list, protodesc.ToFileDescriptorProto(file))
}

func generate(ctx context.Context, root, plugin string, input []byte) error {
	path, err := toolPath(ctx, plugin)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, path)
	cmd.Stdin = bytes.NewReader(input)
	cmd.Stderr = os.Stderr
	output, err := cmd.Output()
	if err != nil {
		return err
	}
	var response pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(output, &response); err != nil {
		return err
	}
	if response.Error != nil {
		return fmt.Errorf("%s", response.GetError())
	}
	for _, file := range response.File {
		name := filepath.Join(root, filepath.FromSlash(file.GetName()))
		if err := os.WriteFile(name, []byte(file.GetContent()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// toolPath has the go command build a tool of this module and say where it is.
func toolPath(ctx context.Context, name string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "tool", "-n", name)
	cmd.Dir = os.Getenv("PROTOGEN_MODULE")
	cmd.Stderr = os.Stderr
	output, err := cmd.Output()
	return string(bytes.TrimSpace(output)), err
}
