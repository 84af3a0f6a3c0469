// Command protogen generates Go code from the project's .proto files without a protoc binary:
// protocompile parses them, and the two public plugins, which it finds in PATH like protoc, write
// the code. The Go module proxy has everything that it needs.
//
//	protogen -root proto cosi/v1alpha2/cosi.proto
//
// The output goes beside each input. The code registers its descriptors in the variable descriptors
// of its package, and not in protobuf's global registry.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/pluginpb"
)

var plugins = []string{"protoc-gen-go", "protoc-gen-go-grpc"}

func main() {
	var g generator
	flag.StringVar(&g.root, "root", ".", "directory that the files and their imports are relative to")
	flag.BoolVar(&g.global, "global", false, "register the descriptors in protobuf's global registry, as the plugin does")
	flag.Parse()
	if err := g.run(context.Background(), flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "protogen:", err)
		os.Exit(1)
	}
}

type generator struct {
	root   string
	global bool
}

func (g generator) run(ctx context.Context, files []string) error {
	if len(files) == 0 {
		return errors.New("no .proto files given")
	}
	for _, file := range files { // one at a time: generations of a protocol extend options with equal numbers
		if err := g.generateFile(ctx, file); err != nil {
			return err
		}
	}
	return nil
}

func (g generator) generateFile(ctx context.Context, file string) error {
	request, err := compile(ctx, g.root, []string{file})
	if err != nil {
		return err
	}
	input, err := proto.Marshal(request)
	if err != nil {
		return err
	}
	for _, plugin := range plugins {
		if err := g.generate(ctx, plugin, input); err != nil {
			return fmt.Errorf("%s: %w", plugin, err)
		}
	}
	return nil
}

// generate lets one plugin answer the request, and writes the returned files below root.
func (g generator) generate(ctx context.Context, plugin string, input []byte) error {
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
		content := file.GetContent()
		if !g.global {
			if content, err = registerApart(content); err != nil {
				return fmt.Errorf("%s: %w", file.GetName(), err)
			}
		}
		name := filepath.Join(g.root, filepath.FromSlash(file.GetName()))
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// registerApart makes the code of messages register them in its package's descriptors. The plugin
// has no option for that; without the fields it uses the global registry.
func registerApart(code string) (string, error) {
	const (
		types = "\tout := protoimpl.TypeBuilder{\n"
		file  = "\t\tFile: protoimpl.DescBuilder{\n"
	)
	if !strings.Contains(code, "protoimpl.TypeBuilder") {
		return code, nil // services have no descriptors of their own
	}
	if !strings.Contains(code, types+file) {
		return "", errors.New("the plugin writes another form of code: change registerApart")
	}
	apart, err := format.Source([]byte(strings.Replace(code, types+file, types+
		"\t\tTypeRegistry: descriptors.Types,\n"+file+
		"\t\t\tFileRegistry: descriptors.Files,\n\t\t\tTypeResolver: descriptors.Types,\n", 1)))
	return string(apart), err
}
