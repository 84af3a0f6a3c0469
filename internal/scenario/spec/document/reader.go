package document

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// MaxBytes is the maximum size of a file. It keeps generated files from taking all memory.
const MaxBytes = 4 << 20

// Parse returns the documents of a file that are not empty.
func Parse(file string, data []byte) ([]*yaml.Node, error) {
	if len(data) > MaxBytes {
		return nil, tooLarge(file, int64(len(data)))
	}
	if at := invalidUTF8(data); at >= 0 {
		return nil, &Problem{Position: positionOf(file, data, at), Message: "the file is not UTF-8"}
	}
	var documents []*yaml.Node
	for decoder := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var node yaml.Node
		err := decoder.Decode(&node)
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil {
			return nil, syntaxProblem(file, data, err)
		}
		if len(node.Content) == 1 && !IsNull(node.Content[0]) {
			documents = append(documents, node.Content[0])
		}
	}
}

// IsNull reports whether a node is null.
func IsNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

func positionOf(file string, data []byte, offset int) Position {
	before := data[:offset]
	return Position{File: file, Line: bytes.Count(before, []byte("\n")) + 1, Column: offset - bytes.LastIndexByte(before, '\n')}
}

var yamlError = regexp.MustCompile(`^yaml: (?:line (\d+)(?:, column (\d+))?: )?(?s:(.*))$`)

// syntaxProblem extracts the position from an error of the YAML library, which often has only the
// line.
func syntaxProblem(file string, data []byte, err error) error {
	position, message := Position{File: file}, err.Error()
	if found := yamlError.FindStringSubmatch(message); found != nil {
		position.Line, _ = strconv.Atoi(found[1]) // 0 if there is none
		position.Column, _ = strconv.Atoi(found[2])
		message = found[3]
	}
	position.Line = max(position.Line, 1)
	hint := hints[message]
	if at := unquoted(data, position.Line); at >= 0 && strings.Contains(message, "expected ',' or") {
		position, hint = positionOf(file, data, at), "put a text with ${ in it into quotes"
	}
	if position.Column == 0 {
		var inTab bool
		if position.Column, inTab = firstColumn(data, position.Line); inTab {
			hint = "indent with spaces, not with tabs"
		}
	}
	if hint != "" {
		message += ": " + hint
	}
	return &Problem{position, "this is not YAML: " + message}
}

// hints are advice for errors of the YAML library.
var hints = map[string]string{
	"did not find expected key":                       "look for a line near here that is indented otherwise than others, or has no colon",
	"did not find expected '-' indicator":             "look for a line near here that is indented otherwise than others, or has no dash",
	"mapping values are not allowed in this context":  "put a text with a colon in it into quotes, or look at how the line is indented",
	"found unexpected end of stream":                  "a quote or a bracket is not closed",
	"could not find expected ':'":                     "a key needs a colon behind it, and a space or a new line behind that",
	"found a tab character that violates indentation": "indent with spaces, not with tabs",
}

var inBraces = regexp.MustCompile(`[:,\[{]\s*(\$\{)`)

// unquoted returns the column of an expression without quotes, within braces, on a line or right
// behind it; -1 if there is none.
func unquoted(data []byte, line int) int {
	begin := 0
	for range line - 1 {
		next := bytes.IndexByte(data[begin:], '\n')
		if next < 0 {
			return -1
		}
		begin += next + 1
	}
	end := begin
	for range 2 {
		if next := bytes.IndexByte(data[end:], '\n'); next >= 0 {
			end += next + 1
		} else {
			end = len(data)
		}
	}
	if found := inBraces.FindSubmatchIndex(data[begin:end]); found != nil {
		return begin + found[2]
	}
	return -1
}

// firstColumn returns the column where the text of a line begins, or of the tab before it.
func firstColumn(data []byte, line int) (column int, isTab bool) {
	lines := bytes.SplitN(data, []byte("\n"), line+1)
	if line > len(lines) {
		return 1, false
	}
	text := lines[line-1]
	column = len(text) - len(bytes.TrimLeft(text, " ")) + 1
	return column, column <= len(text) && text[column-1] == '\t'
}
