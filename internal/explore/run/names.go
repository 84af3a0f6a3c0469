package run

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
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
// the name of its object, an ID that a driver has chosen by its bucket or account, and the scope of a
// scenario, which is part of the names of drivers and classes, by one name.
type Names struct {
	scope *regexp.Regexp
	known map[string]string // by UID
	count map[string]int    // number of UIDs by object name
	ids   map[string]string // by ID of a driver
	given map[string]string // the names that a driver has given IDs to, by ID
	long  *strings.Replacer // of the IDs in texts
}

// NewNames returns names for the runs of a scenario.
func NewNames(scenario string) *Names {
	return &Names{
		long:  strings.NewReplacer(),
		scope: regexp.MustCompile(`\b` + regexp.QuoteMeta(eventscope.Prefix(scenario)) + `-[0-9]+\b`),
		known: map[string]string{}, count: map[string]int{}, ids: map[string]string{}, given: map[string]string{},
	}
}

// Read learns the names from responses of the API server and of drivers.
func (n *Names) Read(events []journal.Event) {
	for object := range eventscope.Objects(events) {
		n.Learn(object.Kind, object.Metadata.Name, object.Metadata.UID)
	}
	for _, e := range events {
		n.learnIDs(e)
	}
	var pairs []string
	longestFirst := func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }
	for _, id := range slices.SortedFunc(maps.Keys(n.ids), longestFirst) {
		if len(id) >= shortestID {
			pairs = append(pairs, id, n.ids[id])
		}
	}
	n.long = strings.NewReplacer(pairs...)
}

// shortestID is the length of the shortest ID that is replaced in texts. Shorter ones are also numbers
// and words.
const shortestID = 4

// learnIDs learns the IDs in a driver's response, which belong to the name in the request. An ID with
// the UID of an object is the same in every run without its UID.
func (n *Names) learnIDs(e journal.Event) {
	minted, ok := eventscope.MintedIn(e)
	if !ok {
		return
	}
	name := n.In(minted.Name)
	for what, id := range map[string]string{"bucket": minted.BucketID, "account": minted.AccountID} {
		n.given[id] = minted.Name
		if id != "" && id != minted.Name && !eventscope.UID.MatchString(id) {
			n.ids[id] = "<" + what + " of " + name + ">"
		}
	}
}

// Owner returns the name of the bucket or account with an ID, or the ID if no driver has returned it. A driver
// may return several IDs for a name.
func (n *Names) Owner(id string) string {
	if id == "" {
		return ""
	}
	return cmp.Or(n.given[id], id)
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
	if n.ids[name] != "" {
		return "*"
	}
	name = eventscope.UID.ReplaceAllString(name, "*")
	name = eventName.ReplaceAllString(name, ".*")
	name = n.scope.ReplaceAllString(name, "*")
	if rest, ok := strings.CutPrefix(name, Namespace+"/"); ok {
		name = "*/" + rest
	}
	return stars.ReplaceAllString(name, "*")
}

// In replaces the UIDs and the IDs of drivers in a text by names. All unknown UIDs have the same name.
func (n *Names) In(text string) string {
	if name := n.ids[text]; name != "" {
		return name
	}
	text = n.long.Replace(text)
	text = n.scope.ReplaceAllString(text, "<scope>")
	text = endpoint.ReplaceAllString(text, "127.0.0.1:<port>")
	return eventscope.UID.ReplaceAllStringFunc(text, func(id string) string {
		if name := n.known[id]; name != "" {
			return "<" + name + ">"
		}
		return "<?>"
	})
}
