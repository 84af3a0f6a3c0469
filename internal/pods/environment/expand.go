package environment

import "strings"

// Expand replaces $(NAME) by the value of a variable, in the first map that has it. An unknown variable stays as it
// is, and $$ becomes $.
func Expand(text string, variables ...map[string]string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "$")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		name, after, closed := strings.Cut(strings.TrimPrefix(rest, "("), ")")
		switch {
		case strings.HasPrefix(rest, "$"):
			out.WriteByte('$')
			text = rest[1:]
		case strings.HasPrefix(rest, "(") && closed:
			out.WriteString(value(name, variables))
			text = after
		default:
			out.WriteByte('$')
			text = rest
		}
	}
}

func value(name string, variables []map[string]string) string {
	for _, known := range variables {
		if value, ok := known[name]; ok {
			return value
		}
	}
	return "$(" + name + ")"
}
