package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// kind is a kind of text. Each has its own measure, so that a long reference page does not hide the
// comments.
type kind string

const (
	comments kind = "comments" // of Go files, tests included
	docs     kind = "docs"     // Markdown
	texts    kind = "texts"    // string literals of three words or more: help, errors, reports
)

var kinds = []kind{comments, docs, texts}

// extract returns the passages of a file by kind. Generated Go code has none.
func extract(file string, source []byte) map[kind][]string {
	switch path.Ext(file) {
	case ".md":
		return map[kind][]string{docs: paragraphs(string(source))}
	case ".go":
		return goPassages(file, source)
	}
	return nil
}

func goPassages(file string, source []byte) map[kind][]string {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(parsed) {
		return nil // the compiler and the linters report syntax errors
	}
	passages := map[kind][]string{}
	for _, group := range parsed.Comments {
		passages[comments] = append(passages[comments], prose(group)...)
	}
	// Texts of tests, and of tools, are for developers only.
	if !strings.HasSuffix(file, "_test.go") && !strings.HasPrefix(file, "test/") && !strings.HasPrefix(file, "hack/") {
		ast.Inspect(parsed, func(node ast.Node) bool {
			if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if text, err := strconv.Unquote(literal.Value); err == nil && len(words(text)) >= 3 {
					passages[texts] = append(passages[texts], text)
				}
			}
			return true
		})
	}
	return passages
}

// tag matches comments that tools read: markers of kubebuilder, and tags of requirements.
var tag = regexp.MustCompile(`^(?:\+|KEP:|Spec:)`)

// quoted matches quotations, such as from a specification.
var quoted = regexp.MustCompile(`"[^"]*"`)

// prose returns the paragraphs of a comment. Text leaves directives out.
func prose(group *ast.CommentGroup) []string {
	var lines []string
	for line := range strings.Lines(group.Text()) {
		if !tag.MatchString(line) {
			lines = append(lines, line)
		}
	}
	return strings.Split(quoted.ReplaceAllString(strings.Join(lines, ""), ""), "\n\n")
}

var (
	fence = regexp.MustCompile("(?ms)^[ \t]*```.*?\n[ \t]*```[ \t]*$")
	code  = regexp.MustCompile("`[^`]*`|<[^>]*>")
	block = regexp.MustCompile(`(?m)^( {4}|\t).*$`)
)

// paragraphs returns the paragraphs of a page, and the rows of its tables, without code.
func paragraphs(page string) []string {
	page = fence.ReplaceAllString(page, "")
	page = block.ReplaceAllString(page, "")
	page = code.ReplaceAllString(page, "")
	page = quoted.ReplaceAllString(page, "")
	page = strings.ReplaceAll(page, "|\n", "|\n\n")
	return strings.Split(page, "\n\n")
}
