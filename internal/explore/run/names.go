package run

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
)

var (
	eventName = regexp.MustCompile(`\.[0-9a-f]{14,}$`) // the timestamp in the name of an Event
	stars     = regexp.MustCompile(`\*\*+`)
	// endpoint matches the endpoints of a sandbox. Ports differ between sandboxes.
	endpoint = regexp.MustCompile(`\b127\.0\.0\.1:\d+\b`)
)

// Names replaces values that differ between runs by names that are the same in every run: a UID by
// the name of its object, and the scope of a scenario, which is part of the names of drivers and
// classes, by one name.
type Names struct {
	scope *regexp.Regexp
	known map[string]string // by UID
	count map[string]int    // number of UIDs by object name
}

// NewNames returns names for the runs of a scenario.
func NewNames(scenario string) *Names {
	return &Names{
		scope: regexp.MustCompile(`\b` + regexp.QuoteMeta(eventscope.Prefix(scenario)) + `-[0-9]+\b`),
		known: map[string]string{}, count: map[string]int{},
	}
}

// Read learns the names from responses of the API server.
func (n *Names) Read(events []journal.Event) {
	for object := range eventscope.Objects(events) {
		n.Learn(object.Kind, object.Metadata.Name, object.Metadata.UID)
	}
}

// Learn assigns a name to a UID. An object that was deleted and created again has another
// UID and another number.
func (n *Names) Learn(kind, name, id string) {
	if n.known[id] != "" {
		return
	}
	name = kind + "/" + n.In(name)
	n.count[name]++
	if nth := n.count[name]; nth > 1 {
		name = fmt.Sprintf("%s#%d", name, nth)
	}
	n.known[id] = name
}

// Pattern turns a name into a pattern that matches it in every run.
func (n *Names) Pattern(name string) string {
	name = eventscope.UID.ReplaceAllString(name, "*")
	name = eventName.ReplaceAllString(name, ".*")
	name = n.scope.ReplaceAllString(name, "*")
	if rest, ok := strings.CutPrefix(name, Namespace+"/"); ok {
		name = "*/" + rest
	}
	return stars.ReplaceAllString(name, "*")
}

// In replaces the UIDs in a text by names. All unknown UIDs have the same name.
func (n *Names) In(text string) string {
	text = n.scope.ReplaceAllString(text, "<scope>")
	text = endpoint.ReplaceAllString(text, "127.0.0.1:<port>")
	return eventscope.UID.ReplaceAllStringFunc(text, func(id string) string {
		if name := n.known[id]; name != "" {
			return "<" + name + ">"
		}
		return "<?>"
	})
}
