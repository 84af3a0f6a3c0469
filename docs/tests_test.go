package docs_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// suite is what the tests of a package are called: its test functions, and every
// text in them, among which are the names of subtests.
type suite struct {
	functions map[string]bool
	texts     map[string]bool
}

var suites struct {
	sync.Mutex
	of map[string]*suite
}

// exists returns an error unless there is a test of that name, which is written
// as in internal/sidecar/driver.TestTerminal or controller.TestAccessIsRefused/two claims.
// Of a subtest it looks for the name in the package's test files.
func exists(test string) error {
	slash := strings.LastIndexByte(strings.SplitN(test, ".Test", 2)[0], '/')
	dir, name, ok := strings.Cut(test[slash+1:], ".")
	if !ok {
		return fmt.Errorf("%s names no test of a package", test)
	}
	dir = test[:slash+1] + dir
	function, subtests, _ := strings.Cut(name, "/")
	s, err := suiteOf(dir)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", test, err)
	case !s.functions[function]:
		return fmt.Errorf("package %s has no test %s", dir, function)
	case subtests == "" || s.texts[subtests]:
		return nil
	}
	for part := range strings.SplitSeq(subtests, "/") {
		if !s.texts[part] {
			return fmt.Errorf("the tests of package %s do not have the text %q, by which %s would be called", dir, part, test)
		}
	}
	return nil
}

func suiteOf(dir string) (*suite, error) {
	suites.Lock()
	defer suites.Unlock()
	if s, known := suites.of[dir]; known {
		return s, nil
	}
	files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(dir), "*_test.go"))
	if err != nil || len(files) == 0 {
		return nil, errors.Join(err, fmt.Errorf("package %s has no tests", dir))
	}
	s := &suite{functions: map[string]bool{}, texts: map[string]bool{}}
	for _, file := range files {
		if err := s.read(file); err != nil {
			return nil, err
		}
	}
	if suites.of == nil {
		suites.of = map[string]*suite{}
	}
	suites.of[dir] = s
	return s, nil
}

func (s *suite) read(file string) error {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, declared := range parsed.Decls {
		if f, ok := declared.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
			s.functions[f.Name.Name] = true
		}
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if text, err := strconv.Unquote(literal.Value); err == nil {
				s.texts[text] = true
			}
		}
		return true
	})
	return nil
}
