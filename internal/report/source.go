package report

import (
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// sources returns the files of a scenario. From its own file, which may have several scenarios, it
// returns only the scenario's document.
func sources(s *spec.Scenario) []Source {
	var all []Source
	for i, source := range s.Sources {
		from := 1
		text := source.Content
		if i == 0 && source.Name == s.Position.File {
			from, text = documentAt(source.Content, s.Position.Line)
		}
		all = append(all, Source{File: source.Name, Line: from, Text: text})
	}
	return all
}

// documentAt returns the YAML document that has a line, and the number of its first line.
func documentAt(content string, line int) (from int, text string) {
	lines := strings.SplitAfter(content, "\n")
	first, last := 0, len(lines)
	for i, l := range lines {
		if !isSeparator(l) {
			continue
		}
		if i+1 < line {
			first = i + 1
		} else if i+1 > line {
			last = i
			break
		}
	}
	return first + 1, strings.Join(lines[first:last], "")
}

func isSeparator(line string) bool {
	line = strings.TrimRight(line, "\r\n")
	return line == "---" || strings.HasPrefix(line, "--- ")
}
