// Package openapi reduces the OpenAPI definitions of the embedded control plane to those that it
// needs: openapi-gen writes the definitions of whole packages, and only a few kinds of core/v1 are
// served.
package openapi

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	file = "internal/controlplane/embedded/openapi/zz_generated.openapi.go"

	// index is the function that returns all definitions.
	index = "GetOpenAPIDefinitions"

	// corePrefix begins the names of the functions for core/v1.
	corePrefix = "schema_k8sio_api_core_v1_"
)

// served are the kinds of core/v1 that the embedded control plane serves. The definitions of other
// packages are kept, because they are few.
var served = []string{
	"Binding", "ConfigMap", "Event", "Namespace", "Node",
	"Pod", "PodAttachOptions", "PodExecOptions", "PodPortForwardOptions", "ResourceQuota", "Secret", "ServiceAccount",
}

// Files returns the file with the definitions, reduced to those that the served kinds refer to.
func Files(root string) (map[string][]byte, error) {
	path := filepath.Join(root, filepath.FromSlash(file))
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	reduced, err := reduce(path, source)
	if err != nil {
		return nil, fmt.Errorf("reduce %s: %w", path, err)
	}
	return map[string][]byte{file: reduced}, nil
}

func reduce(path string, source []byte) ([]byte, error) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, path, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	d := read(parsed)
	if d.all == nil {
		return nil, fmt.Errorf("no function has the name %s and returns a map of all definitions", index)
	}
	keep := map[string]bool{index: true}
	for name := range d.functions {
		kind, core := strings.CutPrefix(name, corePrefix)
		if name != index && (!core || slices.Contains(served, strings.TrimSuffix(kind, "List"))) {
			d.follow(name, keep)
		}
	}
	lines := strings.SplitAfter(string(source), "\n")
	drop := func(n ast.Node) {
		clear(lines[set.Position(n.Pos()).Line-1 : set.Position(n.End()).Line])
	}
	for _, entry := range d.all.Elts {
		if !keep[definitionOf(entry)] {
			drop(entry)
		}
	}
	for name, function := range d.functions {
		if !keep[name] {
			drop(function)
		}
	}
	return format.Source([]byte(strings.Join(lines, "")))
}

// definitions are the definitions in a file.
type definitions struct {
	all       *ast.CompositeLit        // the map of all definitions
	functions map[string]*ast.FuncDecl // by name
	byModel   map[string]string        // names of functions, by the expression of their model
}

func read(parsed *ast.File) *definitions {
	d := &definitions{functions: map[string]*ast.FuncDecl{}, byModel: map[string]string{}}
	for _, declared := range parsed.Decls {
		if function, ok := declared.(*ast.FuncDecl); ok {
			d.functions[function.Name.Name] = function
		}
	}
	returned, ok := d.functions[index].Body.List[0].(*ast.ReturnStmt)
	if !ok {
		return d
	}
	d.all, _ = returned.Results[0].(*ast.CompositeLit)
	for _, entry := range d.all.Elts {
		if pair, ok := entry.(*ast.KeyValueExpr); ok {
			d.byModel[types.ExprString(pair.Key)] = definitionOf(entry)
		}
	}
	return d
}

// definitionOf returns the name of the function that an entry of the map calls.
func definitionOf(entry ast.Expr) string {
	pair, ok := entry.(*ast.KeyValueExpr)
	if !ok {
		return ""
	}
	call, ok := pair.Value.(*ast.CallExpr)
	if !ok {
		return ""
	}
	return types.ExprString(call.Fun)
}

// follow keeps a function, and those of the models to which its definition refers.
func (d *definitions) follow(name string, keep map[string]bool) {
	if keep[name] {
		return
	}
	keep[name] = true
	ast.Inspect(d.functions[name], func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if referred := d.byModel[types.ExprString(call)]; referred != "" {
			d.follow(referred, keep)
		}
		return true
	})
}
