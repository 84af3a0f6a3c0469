package replay

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// names are the words that differ between two runs, and what stands for them.
type names struct {
	scope string
	uids  map[string]string
}

var uid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// namesOf learns from the answers of the API server which object has which UID.
func namesOf(scope string, events []journal.Event) *names {
	n := &names{scope: scope, uids: map[string]string{}}
	for _, e := range events {
		if e.Seam != journal.SeamAPI || len(e.Response) == 0 {
			continue
		}
		var object struct {
			Kind     string `json:"kind"`
			Metadata struct {
				Name string `json:"name"`
				UID  string `json:"uid"`
			} `json:"metadata"`
		}
		if json.Unmarshal(e.Response, &object) != nil || object.Metadata.UID == "" {
			continue
		}
		n.uids[object.Metadata.UID] = "<" + object.Kind + " " + uid.ReplaceAllString(object.Metadata.Name, "<uid>") + ">"
	}
	return n
}

// stable returns a text with the words replaced.
func (n *names) stable(text string) string {
	if n.scope != "" {
		text = replaceWord(text, n.scope, "<scope>")
	}
	return uid.ReplaceAllStringFunc(text, func(found string) string {
		if name, ok := n.uids[found]; ok {
			return name
		}
		return "<uid>"
	})
}

// replaceWord replaces a scope, but not where it is the beginning of another, as
// a-1 is of a-12.
func replaceWord(text, word, with string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, word)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		if rest != "" && rest[0] >= '0' && rest[0] <= '9' {
			out.WriteString(word)
		} else {
			out.WriteString(with)
		}
		text = rest
	}
}
