package env

import (
	"fmt"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/suggest"
)

// Mapping gives the value of a variable another name, too.
type Mapping struct{ Name, From string }

// ParseMappings reads mappings of the form NAME=KEY.
func ParseMappings(texts []string) ([]Mapping, error) {
	mappings := make([]Mapping, len(texts))
	for i, text := range texts {
		name, from, ok := strings.Cut(text, "=")
		if !ok || !isVariable(name) || from == "" {
			return nil, fmt.Errorf("%q must have the form NAME=KEY, such as S3_BUCKET=BUCKET_NAME", text)
		}
		mappings[i] = Mapping{Name: name, From: from}
	}
	return mappings, nil
}

// isVariable reports whether a shell accepts a name of a variable.
func isVariable(name string) bool {
	for i, r := range name {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// Map appends the mapped variables.
func Map(variables []Variable, mappings []Mapping) ([]Variable, error) {
	values, known := map[string]string{}, make([]string, len(variables))
	for i, v := range variables {
		values[v.Name], known[i] = v.Value, v.Name
	}
	for _, m := range mappings {
		value, ok := values[m.From]
		if !ok {
			return nil, fmt.Errorf("%s=%s: no variable has the name %s: %s", m.Name, m.From, m.From, suggest.From(m.From, known))
		}
		variables = append(variables, Variable{Name: m.Name, Value: value})
	}
	return variables, nil
}
