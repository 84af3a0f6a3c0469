package kepcoverage

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Test is a test, or a scenario, that has the tag of a row.
type Test struct {
	ID string
	// Name is package and test, such as controller.TestAccessIsRejected/two claims, or the file of
	// a scenario.
	Name string
	// Position is the file and line of the tag.
	Position string
}

var (
	idForm = regexp.MustCompile(`^(E\d\d|[A-Z][A-Z0-9]*(-[A-Za-z0-9.]+)+)$`)
	// numbered are the known failures in the name of a test function.
	numbered = regexp.MustCompile(`E\d\d`)
)

// line matches the comment that tags a test, and captures its IDs.
func (p Page) line() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\s*(?://|#) ` + p.Tag + `: (.*)$`)
}

func (p Page) find(root string) ([]Test, error) {
	tests, err := p.scenarios(root)
	if err != nil {
		return nil, err
	}
	dirs, err := p.directories(root)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, dir := range dirs {
		found, err := p.directory(root, dir)
		tests = append(tests, found...)
		errs = append(errs, err)
	}
	return tests, errors.Join(errs...)
}

func (p Page) scenarios(root string) ([]Test, error) {
	var tests []Test
	err := walk(root, "scenarios/suite", ".yaml", func(file string, content []byte) {
		for _, match := range p.line().FindAllSubmatchIndex(content, -1) {
			position := fmt.Sprintf("%s:%d", file, 1+strings.Count(string(content[:match[2]]), "\n"))
			for id := range strings.SplitSeq(string(content[match[2]:match[3]]), ", ") {
				tests = append(tests, Test{ID: id, Name: file, Position: position})
			}
		}
	})
	return tests, err
}

func (p Page) directories(root string) ([]string, error) {
	named := regexp.MustCompile(`(?m)^func Test(E\d\d)`)
	var dirs []string
	err := walk(root, ".", "_test.go", func(file string, content []byte) {
		if p.line().Match(content) || p == KnownFailures && named.Match(content) {
			dirs = append(dirs, path.Dir(file))
		}
	})
	slices.Sort(dirs)
	return slices.Compact(dirs), err
}

func walk(root, dir, suffix string, visit func(file string, content []byte)) error {
	return filepath.WalkDir(filepath.Join(root, dir), func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || len(entry.Name()) > 2 && entry.Name()[0] == '.'):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, suffix):
			return nil
		}
		content, err := os.ReadFile(name) //nolint:gosec // a file of this repository
		if err != nil {
			return err
		}
		file, err := filepath.Rel(root, name)
		visit(filepath.ToSlash(file), content)
		return err
	})
}

func (p Page) directory(root, dir string) ([]Test, error) {
	suite := &suite{dir: dir, files: token.NewFileSet()}
	names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*_test.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		parsed, err := parser.ParseFile(suite.files, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		suite.sources = append(suite.sources, parsed)
	}
	var tests []Test
	var errs []error
	for _, source := range suite.sources {
		for _, group := range source.Comments {
			found, err := p.comment(suite, source, group)
			tests = append(tests, found...)
			errs = append(errs, err)
		}
		if p == KnownFailures {
			tests = append(tests, suite.numbered(source)...)
		}
	}
	return tests, errors.Join(errs...)
}

// comment returns the test below a comment for each ID that tags it.
func (p Page) comment(s *suite, source *ast.File, group *ast.CommentGroup) ([]Test, error) {
	var tests []Test
	for _, comment := range group.List {
		match := p.line().FindStringSubmatch(comment.Text)
		if match == nil {
			continue
		}
		position := s.position(comment.Pos())
		name := s.below(source, group)
		if name == "" {
			return nil, fmt.Errorf("%s: the tag %q is not directly above a test function, a t.Run or a row with a name", position, comment.Text)
		}
		for id := range strings.SplitSeq(match[1], ", ") {
			tests = append(tests, Test{ID: id, Name: name, Position: position})
		}
	}
	return tests, nil
}

// suite has the test files of a directory.
type suite struct {
	dir     string
	files   *token.FileSet
	sources []*ast.File
}

func (s *suite) position(at token.Pos) string {
	position := s.files.Position(at)
	return fmt.Sprintf("%s/%s:%d", s.dir, filepath.Base(position.Filename), position.Line)
}

// numbered returns the test functions with the number of a known failure in their name.
func (s *suite) numbered(source *ast.File) []Test {
	var tests []Test
	for _, declared := range source.Decls {
		function := testFunction(declared)
		for _, id := range numbered.FindAllString(function, -1) {
			tests = append(tests, Test{ID: id, Name: s.dir + "." + function, Position: s.position(declared.Pos())})
		}
	}
	return slices.Compact(slices.SortedFunc(slices.Values(tests), func(a, b Test) int { return cmp.Compare(a.ID+a.Name, b.ID+b.Name) }))
}
