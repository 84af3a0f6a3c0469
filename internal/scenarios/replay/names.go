package replay

import (
	"encoding/json"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/naming"
)

// names are the words that differ between two runs, and what stands for them.
type names struct {
	scope string
	uids  map[string]string
}

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
		n.uids[object.Metadata.UID] = "<" + object.Kind + " " + naming.UID.ReplaceAllString(object.Metadata.Name, "<uid>") + ">"
	}
	return n
}

// stable returns a text with the words replaced.
func (n *names) stable(text string) string {
	if n.scope != "" {
		text = naming.Replace(text, n.scope, "<scope>")
	}
	return naming.UID.ReplaceAllStringFunc(text, func(found string) string {
		if name, ok := n.uids[found]; ok {
			return name
		}
		return "<uid>"
	})
}
