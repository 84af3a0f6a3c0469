package gcs

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
)

// The limits of object contexts.
const (
	maxContexts      = 50
	maxContextLetter = 256 // of a key, or of a value
)

// contexts are the object contexts of an object. They are replaced and not changed.
type contexts struct {
	Custom map[string]contextValue `json:"custom,omitempty"`
}

type contextValue struct {
	Value      string    `json:"value"`
	CreateTime time.Time `json:"createTime"`
	UpdateTime time.Time `json:"updateTime"`
}

// custom returns the contexts by key; nil contexts have none.
func (c *contexts) custom() map[string]contextValue {
	if c == nil {
		return nil
	}
	return c.Custom
}

// contextsOf returns contexts; nil for none.
func contextsOf(custom map[string]contextValue) *contexts {
	if len(custom) == 0 {
		return nil
	}
	return &contexts{custom}
}

var errContexts = failure.ErrInvalid.With("The member contexts of the metadata must have a member custom, with an object for each key")

// applyContexts changes the object contexts. A null or empty value deletes its key, and null contexts
// delete all keys.
func (d document) applyContexts(a *attributes, now time.Time) error {
	raw, ok := d["contexts"]
	if !ok {
		return nil
	}
	changes, isGiven, err := parseContexts(raw)
	if err != nil {
		return err
	}
	if isGiven && changes == nil {
		a.Contexts = nil
		return nil
	}
	changed := maps.Clone(a.Contexts.custom())
	if changed == nil {
		changed = map[string]contextValue{}
	}
	for key, change := range changes {
		if len(change) == 0 { // Google's client for Go sends an empty one
			delete(changed, key)
		} else if err := change.applyContext(changed, key, now); err != nil {
			return err
		}
	}
	if len(changed) > maxContexts {
		return failure.ErrInvalid.With("An object has at most 50 contexts")
	}
	a.Contexts = contextsOf(changed)
	return nil
}

// parseContexts returns the changes of the contexts by key, and whether there are any; nil deletes all.
func parseContexts(raw json.RawMessage) (changes map[string]document, isGiven bool, err error) {
	var given map[string]map[string]document
	if err := json.Unmarshal(raw, &given); err != nil {
		return nil, false, errContexts
	}
	for name := range given {
		if name != "custom" {
			return nil, false, failure.ErrNotImplemented.With("cosi-emu does not implement the member contexts." +
				strings.ToValidUTF8(name, "?") + " of objects")
		}
	}
	changes, isGiven = given["custom"]
	return changes, isGiven || given == nil, nil
}

// applyContext sets one context, from a document with its value.
func (d document) applyContext(changed map[string]contextValue, key string, now time.Time) error {
	for name := range d {
		if !slices.Contains([]string{"value", "createTime", "updateTime"}, name) {
			return failure.ErrNotImplemented.With("cosi-emu does not implement the member " + strings.ToValidUTF8(name, "?") + " of object contexts")
		}
	}
	value, err := d.text("value")
	if err != nil {
		return err
	}
	if !isContextText(key) || !isContextText(value) {
		return failure.ErrInvalid.With("The key and the value of an object context have 1 to 256 characters, begin with a letter or digit, " +
			"and contain no quotes and slashes: " + key)
	}
	before, exists := changed[key]
	switch {
	case !exists:
		changed[key] = contextValue{value, now, now}
	case before.Value != value:
		changed[key] = contextValue{value, before.CreateTime, now}
	}
	return nil
}

func isContextText(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return text != "" && utf8.RuneCountInString(text) <= maxContextLetter && (unicode.IsLetter(first) || unicode.IsDigit(first)) &&
		!strings.ContainsAny(text, `'"\/`)
}
