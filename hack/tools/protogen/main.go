// Command protogen generates Go code from the project's .proto files without a
// protoc binary: protocompile parses them, and the two public plugins, which it
// looks for in PATH as protoc would, write the code. So everything that it needs
// comes from the Go module proxy.
//
//	protogen -root proto cosi/v1alpha2/cosi.proto
//
// The output goes beside each input.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/pluginpb"
)

// plugins are the programs that write the code: messages, and services.
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
		return errors.New("no .proto files given")
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

// generate has one plugin answer the request, and writes the files that it
// returns below root.
func generate(ctx context.Context, root, plugin string, input []byte) error {
	cmd := exec.CommandContext(ctx, plugin)
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
		return errors.New(response.GetError())
	}
	for _, file := range response.GetFile() {
		name := filepath.Join(root, filepath.FromSlash(file.GetName()))
		if err := os.WriteFile(name, []byte(file.GetContent()), 0o644); err != nil {
			return err
		}
	}
	return nil
}
