package docs_test

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"strings"
	"testing"
)

// TestPublicSignatures verifies that exported signatures of public packages name no private type of
// ours. Aliases count as their types.
func TestPublicSignatures(t *testing.T) {
	all := publicPackages(t)
	load := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(all.exports[path])
	})
	for _, path := range all.public {
		p, err := load.Import(path)
		if err != nil {
			t.Fatalf("import %s: %v", path, err)
		}
		s := &signatures{seen: map[types.Type]bool{}}
		for _, name := range p.Scope().Names() {
			if object := p.Scope().Lookup(name); object.Exported() {
				s.declaration(name, object)
			}
		}
		for _, found := range s.found {
			t.Errorf("%s.%s", strings.TrimPrefix(path, module+"/"), found)
		}
	}
}

type signatures struct {
	found []string
	seen  map[types.Type]bool // guards against types that refer to themselves
}

// declaration inspects an exported object of a package: for a type, its parts and its methods.
func (s *signatures) declaration(name string, object types.Object) {
	if _, isType := object.(*types.TypeName); !isType {
		s.use(name, object.Type())
		return
	}
	named, ok := types.Unalias(object.Type()).(*types.Named)
	if !ok || object.Pkg() != named.Obj().Pkg() {
		s.use(name, object.Type())
		return
	}
	s.parameters(name, named.TypeParams())
	s.use(name, named.Underlying())
	for method := range named.Methods() {
		if method.Exported() {
			s.use(name+"."+method.Name(), method.Type())
		}
	}
}

func (s *signatures) parameters(where string, list *types.TypeParamList) {
	for parameter := range list.TypeParams() {
		s.use(where, parameter.Constraint())
	}
}

func (s *signatures) use(where string, t types.Type) {
	t = types.Unalias(t)
	if named, ok := t.(*types.Named); ok {
		s.named(where, named)
		return
	}
	if s.seen[t] {
		return
	}
	s.seen[t] = true
	s.parts(where, t)
}

// parts inspects the parts of a type without a name.
func (s *signatures) parts(where string, t types.Type) {
	switch t := t.(type) {
	case *types.Signature:
		s.parameters(where, t.TypeParams())
		s.use(where, t.Params())
		s.use(where, t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			s.use(where, v.Type())
		}
	case *types.Struct:
		s.structType(where, t)
	case *types.Interface:
		s.interfaceType(where, t)
	case *types.Union:
		for term := range t.Terms() {
			s.use(where, term.Type())
		}
	case *types.Map:
		s.use(where, t.Key())
		s.use(where, t.Elem())
	case interface{ Elem() types.Type }: // pointer, slice, array, channel
		s.use(where, t.Elem())
	}
}

func (s *signatures) structType(where string, t *types.Struct) {
	for field := range t.Fields() {
		if field.Exported() {
			s.use(where+"."+field.Name(), field.Type())
		}
	}
}

func (s *signatures) interfaceType(where string, t *types.Interface) {
	for method := range t.ExplicitMethods() {
		if method.Exported() {
			s.use(where+"."+method.Name(), method.Type())
		}
	}
	for embedded := range t.EmbeddedTypes() {
		s.use(where, embedded)
	}
}

func (s *signatures) named(where string, named *types.Named) {
	if p := named.Obj().Pkg(); p != nil && private.MatchString(p.Path()) {
		s.found = append(s.found, fmt.Sprintf("%s names %s.%s, which is not public",
			where, strings.TrimPrefix(p.Path(), module+"/"), named.Obj().Name()))
	}
	for argument := range named.TypeArgs().Types() {
		s.use(where, argument)
	}
}
