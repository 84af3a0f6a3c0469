package gcs

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
)

// document is an object resource of the JSON API, or a part of one. A null member
// differs from a missing one.
type document map[string]json.RawMessage

// members has the members of an object resource, and the way in which a request's are treated.
// Clients send whole resources back, so members that the service sets are ignored, as by Google.
var members = map[string]treatment{
	"name": served, "contentType": served, "contentEncoding": served, "contentDisposition": served, "contentLanguage": served,
	"cacheControl": served, "storageClass": served, "md5Hash": served, "crc32c": served, "customTime": served, "metadata": served,
	"temporaryHold": served, "eventBasedHold": served, "contexts": served,

	"kind": readOnly, "id": readOnly, "selfLink": readOnly, "mediaLink": readOnly, "bucket": readOnly, "generation": readOnly,
	"metageneration": readOnly, "size": readOnly, "componentCount": readOnly, "etag": readOnly, "owner": readOnly, "timeCreated": readOnly,
	"updated": readOnly, "timeDeleted": readOnly, "timeFinalized": readOnly, "timeStorageClassUpdated": readOnly, "softDeleteTime": readOnly,
	"hardDeleteTime": readOnly, "restoreToken": readOnly, "retentionExpirationTime": readOnly,

	"acl": rejected, "retention": rejected, "kmsKeyName": rejected, "customerEncryption": rejected,
}

type treatment int

const (
	rejected treatment = iota // also of unknown members
	served
	readOnly
)

func parseDocument(data []byte) (document, error) {
	if len(data) == 0 {
		return document{}, nil
	}
	var d document
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, failure.ErrInvalid.With("The metadata is not a JSON object")
	}
	for _, name := range slices.Sorted(maps.Keys(d)) {
		if members[name] == rejected && d.isSet(name) {
			return nil, failure.ErrNotImplemented.With("cosi-emu does not implement the member " + strings.ToValidUTF8(name, "?") + " of objects")
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

// apply changes the attributes in the document, at a time.
func (d document) apply(a *attributes, now time.Time) (err error) {
	for name, into := range a.texts() {
		if _, ok := d[name]; ok {
			if *into, err = d.text(name); err != nil {
				return err
			}
		}
	}
	if !slices.Contains(classes, a.StorageClass) {
		return failure.ErrInvalid.With("Invalid storage class: " + a.StorageClass)
	}
	if raw, ok := d["customTime"]; ok {
		a.CustomTime = nil
		if err := json.Unmarshal(raw, &a.CustomTime); err != nil {
			return failure.ErrInvalid.With("The member customTime of the metadata must be a time")
		}
	}
	for name, into := range map[string]*bool{"temporaryHold": &a.TemporaryHold, "eventBasedHold": &a.EventBasedHold} {
		if err := d.flag(name, into); err != nil {
			return err
		}
	}
	if err := d.applyMetadata(a); err != nil {
		return err
	}
	return d.applyContexts(a, now)
}

// flag reads a boolean member; null is false.
func (d document) flag(name string, into *bool) error {
	raw, ok := d[name]
	if !ok {
		return nil
	}
	*into = false
	if err := json.Unmarshal(raw, into); err != nil {
		return failure.ErrInvalid.With("The member " + name + " of the metadata must be true or false")
	}
	return nil
}

// maxMetadataBytes is the maximum size of the keys and values of an object's custom metadata.
const maxMetadataBytes = 8 << 10

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
	size := 0
	for key, value := range changed {
		size += len(key) + len(value)
	}
	if size > maxMetadataBytes {
		return failure.ErrInvalid.With(fmt.Sprintf("The keys and values of the metadata have %d bytes, more than %d", size, maxMetadataBytes))
	}
	a.Metadata = changed
	return nil
}
