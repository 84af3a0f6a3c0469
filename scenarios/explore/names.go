package explore

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

var (
	uid       = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	eventName = regexp.MustCompile(`\.[0-9a-f]{14,}$`) // of an Event: when it first happened
)

// patternOf turns a subject into one that is the same in every run.
func patternOf(subject, namespace string) string {
	subject = uid.ReplaceAllString(subject, "*")
	subject = eventName.ReplaceAllString(subject, ".*")
	if rest, ok := strings.CutPrefix(subject, namespace+"/"); ok && namespace != "" {
		subject = "*/" + rest
	}
	for strings.Contains(subject, "**") {
		subject = strings.ReplaceAll(subject, "**", "*")
	}
	return subject
}

// names give the UIDs of a run names that are the same in every run: those of the
// objects that they are of.
type names struct {
	known map[string]string // by UID
	count map[string]int    // of the UIDs that an object of that name has had
}

// namesOf learns the names from what the API server has answered.
func namesOf(events []journal.Event) *names {
	n := &names{known: map[string]string{}, count: map[string]int{}}
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
	return n
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

// in returns a text with names for the UIDs in it; those that nobody knows are all
// the same.
func (n *names) in(text string) string {
	return uid.ReplaceAllStringFunc(text, func(id string) string {
		if name := n.known[id]; name != "" {
			return "<" + name + ">"
		}
		return "<?>"
	})
}
