package replay

import (
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
)

// normalizer has the words that differ between two runs, and their replacements.
type normalizer struct {
	scope string
	uids  map[string]string
}

// newNormalizer reads the UIDs of objects from the answers of the API server.
func newNormalizer(scope string, events []journal.Event) *normalizer {
	n := &normalizer{scope: scope, uids: map[string]string{}}
	n.learn(events)
	return n
}

// learn adds the UIDs of objects in more answers.
func (n *normalizer) learn(events []journal.Event) {
	for object := range eventscope.Objects(events) {
		n.uids[object.Metadata.UID] = "<" + object.Kind + " " + n.nameOf(object) + ">"
	}
}

// nameOf returns the name of an object, with its namespace unless it is the scenario's own. Objects of several namespaces can have
// one name.
func (n *normalizer) nameOf(object eventscope.Object) string {
	name := object.Metadata.Name
	if namespace := object.Metadata.Namespace; namespace != "" && namespace != n.scope {
		name = namespace + "/" + name
	}
	if n.scope != "" {
		name = eventscope.Replace(name, n.scope, "<scope>")
	}
	return eventscope.UID.ReplaceAllString(name, "<uid>")
}

func (n *normalizer) normalize(text string) string {
	if n.scope != "" {
		text = eventscope.Replace(text, n.scope, "<scope>")
	}
	return eventscope.UID.ReplaceAllStringFunc(text, func(found string) string {
		if name, ok := n.uids[found]; ok {
			return name
		}
		return "<uid>"
	})
}
