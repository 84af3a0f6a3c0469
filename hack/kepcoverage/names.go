package kepcoverage

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// below returns the name of the test, or of the subtest, that begins in the line below the comment.
// It is empty if there is none.
func (s *suite) below(source *ast.File, group *ast.CommentGroup) string {
	line := s.files.Position(group.End()).Line + 1
	declared := declaration(source, group)
	if declared == nil {
		return ""
	}
	function := testFunction(declared)
	if function != "" && s.files.Position(declared.Pos()).Line == line {
		return s.dir + "." + function
	}
	subtest := s.subtest(declared, line)
	if subtest == "" {
		return ""
	}
	if function == "" {
		if function = s.user(declared); function == "" {
			return ""
		}
	}
	return s.dir + "." + function + "/" + subtest
}

// declaration returns the declaration that the comment is in or above.
func declaration(source *ast.File, group *ast.CommentGroup) ast.Decl {
	at := slices.IndexFunc(source.Decls, func(d ast.Decl) bool { return d.End() > group.End() })
	if at < 0 {
		return nil
	}
	return source.Decls[at]
}

func testFunction(declared ast.Decl) string {
	if f, ok := declared.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
		return f.Name.Name
	}
	return ""
}

// user returns the only test function that uses the function or variable, so that a
// table may stand beside its test. It is empty if there are none or several.
func (s *suite) user(declared ast.Decl) string {
	var users []string
	for _, name := range declaredNames(declared) {
		for _, source := range s.sources {
			for _, other := range source.Decls {
				if function := testFunction(other); function != "" && uses(other, name) {
					users = append(users, function)
				}
			}
		}
	}
	if len(users) != 1 {
		return ""
	}
	return users[0]
}

func declaredNames(declared ast.Decl) []string {
	switch d := declared.(type) {
	case *ast.FuncDecl:
		return []string{d.Name.Name}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if value, ok := spec.(*ast.ValueSpec); ok {
				return []string{value.Names[0].Name}
			}
		}
	}
	return nil
}

func uses(declared ast.Decl, name string) bool {
	found := false
	ast.Inspect(declared, func(n ast.Node) bool {
		if ident, ok := n.(*ast.Ident); ok && ident.Name == name {
			found = true
		}
		return !found
	})
	return found
}

// subtest returns the name of the subtest that begins in the line, with the names
// of the subtests around it.
func (s *suite) subtest(declared ast.Decl, line int) string {
	var parts []string
	first := token.NoPos // beginning of the line
	done := false
	ast.Inspect(declared, func(n ast.Node) bool {
		if n == nil || done || !s.covers(n, line) {
			return false
		}
		if first == token.NoPos && s.files.Position(n.Pos()).Line == line {
			first = n.Pos()
		}
		if name := nodeName(n, n.Pos() == first); name != "" {
			parts = append(parts, name)
			done = n.Pos() == first
		}
		return true
	})
	if !done {
		return ""
	}
	return strings.Join(parts, "/")
}

func (s *suite) covers(n ast.Node, line int) bool {
	return s.files.Position(n.Pos()).Line <= line && line <= s.files.Position(n.End()).Line
}

// nodeName returns the name that a node gives to a subtest: a call of Run gives it to
// everything inside, a row of a table only where it begins.
func nodeName(n ast.Node, begins bool) string {
	call, isCall := n.(*ast.CallExpr)
	if isCall || !begins {
		return runName(call)
	}
	switch node := n.(type) {
	case *ast.KeyValueExpr:
		return literal(node.Key)
	case *ast.CompositeLit:
		if node.Type == nil {
			return rowName(node)
		}
	}
	return ""
}

func runName(call *ast.CallExpr) string {
	if call == nil {
		return ""
	}
	if selector, ok := call.Fun.(*ast.SelectorExpr); ok && selector.Sel.Name == "Run" && len(call.Args) > 0 {
		return literal(call.Args[0])
	}
	return ""
}

// rowName returns the name of a row of a table: its field name, or its first field.
func rowName(row *ast.CompositeLit) string {
	for i, element := range row.Elts {
		field, ok := element.(*ast.KeyValueExpr)
		switch {
		case !ok && i == 0:
			return literal(element)
		case !ok:
			return ""
		}
		if key, ok := field.Key.(*ast.Ident); ok && key.Name == "name" {
			return literal(field.Value)
		}
	}
	return ""
}

func literal(expression ast.Expr) string {
	basic, ok := expression.(*ast.BasicLit)
	if !ok || basic.Kind != token.STRING {
		return ""
	}
	value, err := strconv.Unquote(basic.Value)
	if err != nil {
		return ""
	}
	return value
}
