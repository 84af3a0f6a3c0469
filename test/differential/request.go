package differential

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// request is one request. Its body may differ between servers in the values that only the
// server knows.
type request struct {
	Method, Path string
	// Object is the path of the object that the body is about.
	Object      string
	Query       url.Values
	ContentType string
	Accept      string
	// User is who sends it; empty means the administrator. Credential selects another way to say
	// who one is, of credentials; empty means the certificate of the administrator.
	User, Credential string
	// Current selects as the body the object as the server answered it last, with the Edits.
	// Otherwise the body is Body. In both, the values of placeholders are replaced.
	Current bool
	Edits   []edit
	Body    string
}

// The placeholders, which are replaced by values from the server's answers about the object.
const (
	placeUID      = "@uid"
	placeVersion  = "@version"
	placeFirst    = "@first"
	placeContinue = "@continue"
)

// String implements fmt.Stringer: enough to repeat it by hand.
func (r request) String() string {
	var text strings.Builder
	text.WriteString(r.Method + " " + r.Path)
	if len(r.Query) > 0 {
		text.WriteString("?" + r.Query.Encode())
	}
	if r.User != "" {
		text.WriteString(" as " + r.User)
	}
	if r.Credential != "" {
		text.WriteString(" with " + r.Credential)
	}
	for _, header := range []string{r.ContentType, r.Accept} {
		if header != "" {
			text.WriteString(" [" + header + "]")
		}
	}
	if r.Current {
		fmt.Fprintf(&text, "\n  the current object, edited: %v", r.Edits)
	}
	if r.Body != "" {
		text.WriteString("\n  " + clip(r.Body))
	}
	return text.String()
}

// edit changes one field of an object.
type edit struct {
	Path []string
	// Value replaces the field; Remove removes it.
	Value  any
	Remove bool
}

// String implements fmt.Stringer.
func (e edit) String() string {
	path := strings.Join(e.Path, ".")
	if e.Remove {
		return "-" + path
	}
	value, err := json.Marshal(e.Value)
	if err != nil {
		return path + "=?"
	}
	text := string(value)
	if len(text) > 80 {
		text = text[:80] + "…"
	}
	return path + "=" + text
}

// maxShown is the maximum length of a body in a message.
const maxShown = 4096

func clip(body string) string {
	if len(body) <= maxShown {
		return body
	}
	return fmt.Sprintf("%s… (%d bytes)", body[:maxShown], len(body))
}

// apply edits an object, which it changes. Lists are indexed by numbers. What does not exist is
// created as far as that is possible.
func (e edit) apply(object any) any {
	if len(e.Path) == 0 {
		return e.Value
	}
	rest := edit{Path: e.Path[1:], Value: e.Value, Remove: e.Remove}
	switch in := object.(type) {
	case map[string]any:
		if e.Remove && len(e.Path) == 1 {
			delete(in, e.Path[0])
			return in
		}
		in[e.Path[0]] = rest.apply(in[e.Path[0]])
		return in
	case []any:
		return e.applyToList(in, rest)
	case nil:
		if e.Remove {
			return nil
		}
		return map[string]any{e.Path[0]: rest.apply(nil)}
	default:
		return object
	}
}

func (e edit) applyToList(list []any, rest edit) []any {
	i, err := strconv.Atoi(e.Path[0])
	switch {
	case err != nil || i > len(list) || i < 0:
		return list
	case i == len(list):
		if e.Remove {
			return list
		}
		return append(list, rest.apply(nil))
	case e.Remove && len(e.Path) == 1:
		return slices.Delete(slices.Clone(list), i, i+1)
	default:
		list[i] = rest.apply(list[i])
		return list
	}
}

// leaves returns the paths of all fields of an object, those that contain others included.
func leaves(object any) [][]string {
	var all [][]string
	switch in := object.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(in)) {
			all = append(all, []string{key})
			for _, below := range leaves(in[key]) {
				all = append(all, append([]string{key}, below...))
			}
		}
	case []any:
		for i, item := range in {
			key := strconv.Itoa(i)
			all = append(all, []string{key})
			for _, below := range leaves(item) {
				all = append(all, append([]string{key}, below...))
			}
		}
	}
	return all
}
