package explore

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/emulator/eventscope"
)

var (
	eventName = regexp.MustCompile(`\.[0-9a-f]{14,}$`) // of an Event: when it first happened
	stars     = regexp.MustCompile(`\*\*+`)
	// endpoint is where a sandbox serves something: each at other ports.
	endpoint = regexp.MustCompile(`\b127\.0\.0\.1:\d+\b`)
)

// names give what differs from run to run names that are the same in every run: a
// UID that of the object that it is of, and the scope of a scenario, which is a
// part of the names of its drivers and classes, one for all.
type names struct {
	scope *regexp.Regexp
	known map[string]string // by UID
	count map[string]int    // of the UIDs that an object of that name has had
}

func newNames(scenario string) *names {
	return &names{
		scope: regexp.MustCompile(`\b` + regexp.QuoteMeta(eventscope.Prefix(scenario)) + `-[0-9]+\b`),
		known: map[string]string{}, count: map[string]int{},
	}
}

// read learns the names from what the API server has answered.
func (n *names) read(events []journal.Event) {
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
		if json.Unmarshal(e.Response, &object) == nil {
			n.learn(object.Kind, object.Metadata.Name, object.Metadata.UID)
		}
	}
}

// learn gives a UID a name. An object that was deleted and made again has another
// UID, and gets another number.
func (n *names) learn(kind, name, id string) {
	if id == "" || n.known[id] != "" {
		return
	}
	name = kind + "/" + n.in(name)
	n.count[name]++
	if nth := n.count[name]; nth > 1 {
		name = fmt.Sprintf("%s#%d", name, nth)
	}
	n.known[id] = name
}

// pattern turns a name into a pattern that matches it in every run.
func (n *names) pattern(name string) string {
	name = eventscope.UID.ReplaceAllString(name, "*")
	name = eventName.ReplaceAllString(name, ".*")
	name = n.scope.ReplaceAllString(name, "*")
	if rest, ok := strings.CutPrefix(name, worldNamespace+"/"); ok {
		name = "*/" + rest
	}
	return stars.ReplaceAllString(name, "*")
}

// in returns a text with names for the UIDs in it; those that nobody knows are all
// the same.
func (n *names) in(text string) string {
	text = n.scope.ReplaceAllString(text, "<scope>")
	text = endpoint.ReplaceAllString(text, "127.0.0.1:<port>")
	return eventscope.UID.ReplaceAllStringFunc(text, func(id string) string {
		if name := n.known[id]; name != "" {
			return "<" + name + ">"
		}
		return "<?>"
	})
}
