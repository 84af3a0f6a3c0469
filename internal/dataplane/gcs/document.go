package gcs

import (
	"encoding/json"
	"maps"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
)

// document is an object resource of the JSON API, or a part of one. A null member
// differs from a missing one.
type document map[string]json.RawMessage

func parseDocument(data []byte) (document, error) {
	if len(data) == 0 {
		return document{}, nil
	}
	var d document
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, failure.ErrInvalid.With("The metadata is not a JSON object")
	}
	for _, name := range []string{"acl", "retention", "temporaryHold", "eventBasedHold", "kmsKeyName", "contexts"} {
		if d.isSet(name) {
			return nil, failure.ErrNotImplemented.With("cosi-emu does not implement " + name + " of objects")
		}
	}
	return d, nil
}

func (d document) isSet(name string) bool {
	switch string(d[name]) {
	case "", "null", "false", "[]", "{}", `""`:
		return false
	default:
		return true
	}
}

// text returns a string member; "" if it is null or missing.
func (d document) text(name string) (string, error) {
	var text string
	if raw, ok := d[name]; ok && json.Unmarshal(raw, &text) != nil {
		return "", failure.ErrInvalid.With("The member " + name + " of the metadata must be a text")
	}
	return text, nil
}

// apply changes the attributes in the document. Like Google, it ignores attributes that clients may
// not change.
func (d document) apply(a *attributes) (err error) {
	for name, into := range a.texts() {
		if _, ok := d[name]; ok {
			if *into, err = d.text(name); err != nil {
				return err
			}
		}
	}
	if raw, ok := d["customTime"]; ok {
		a.CustomTime = nil
		if err := json.Unmarshal(raw, &a.CustomTime); err != nil {
			return failure.ErrInvalid.With("The member customTime of the metadata must be a time")
		}
	}
	return d.applyMetadata(a)
}

// applyMetadata changes the user's metadata. A null value deletes its key, and null
// metadata deletes all keys.
func (d document) applyMetadata(a *attributes) error {
	raw, ok := d["metadata"]
	if !ok {
		return nil
	}
	var changes map[string]*string
	if err := json.Unmarshal(raw, &changes); err != nil {
		return failure.ErrInvalid.With("The member metadata of the metadata must be an object of texts")
	}
	if changes == nil {
		a.Metadata = nil
		return nil
	}
	changed := maps.Clone(a.Metadata)
	if changed == nil {
		changed = map[string]string{}
	}
	for key, value := range changes {
		if value == nil {
			delete(changed, key)
		} else {
			changed[key] = *value
		}
	}
	a.Metadata = changed
	return nil
}
