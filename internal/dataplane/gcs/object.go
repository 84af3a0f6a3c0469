package gcs

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"time"
	"unique"

	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// attributes has everything about an object except its content, with the names of the JSON API.
type attributes struct {
	Bucket             string            `json:"bucket"`
	Name               string            `json:"name"`
	Generation         int64             `json:"generation,string"`
	Metageneration     int64             `json:"metageneration,string"`
	ContentType        string            `json:"contentType,omitempty"`
	ContentEncoding    string            `json:"contentEncoding,omitempty"`
	ContentDisposition string            `json:"contentDisposition,omitempty"`
	ContentLanguage    string            `json:"contentLanguage,omitempty"`
	CacheControl       string            `json:"cacheControl,omitempty"`
	StorageClass       string            `json:"storageClass"`
	Size               int64             `json:"size,string"`
	CRC32C             string            `json:"crc32c"`
	MD5Hash            string            `json:"md5Hash,omitempty"`
	ComponentCount     int32             `json:"componentCount,omitempty"`
	TimeCreated        time.Time         `json:"timeCreated"`
	Updated            time.Time         `json:"updated"`
	CustomTime         *time.Time        `json:"customTime,omitempty"`
	TemporaryHold      bool              `json:"temporaryHold,omitempty"`
	EventBasedHold     bool              `json:"eventBasedHold,omitempty"`
	Metadata           map[string]string `json:"metadata,omitempty"`
	Contexts           *contexts         `json:"contexts,omitempty"`
}

// object is an object at one generation and metageneration.
type object struct {
	attributes

	version *objects.Version
}

// properties are attributes that only Google has.
type properties struct {
	CustomTime *time.Time `json:"customTime,omitempty"`
	// Updated is the time of the last change of the metadata, if any.
	Updated  time.Time `json:"updated,omitzero"`
	Contexts *contexts `json:"contexts,omitempty"`
}

const (
	// defaultClass is the storage class of objects without one.
	defaultClass = "STANDARD"
	// defaultType is the type with which the content of an object without one is served.
	defaultType = "application/octet-stream"
)

// objectOf reads the attributes of a version.
func objectOf(bucket string, v *objects.Version) (*object, error) {
	var p properties
	if text := v.Attributes.Extra; text != "" {
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			return nil, fmt.Errorf("object %q %w: %w", v.Key, blobstore.ErrDamaged, err)
		}
	}
	h := v.StandardHeaders()
	a := attributes{
		Bucket: bucket, Name: v.Key, Generation: v.Generation(), Metageneration: v.Metageneration(),
		ContentType: h.ContentType, ContentEncoding: h.ContentEncoding, ContentDisposition: h.ContentDisposition,
		ContentLanguage: h.ContentLanguage, CacheControl: h.CacheControl, StorageClass: cmp.Or(h.StorageClass, defaultClass),
		Size: v.Size(), CRC32C: v.Checksum.String(), MD5Hash: md5Of(v.ETag), ComponentCount: v.ETag.Parts,
		TimeCreated: v.Modified(), Updated: v.Modified(), CustomTime: p.CustomTime, Metadata: v.Attributes.Metadata, Contexts: p.Contexts,
	}
	if lock := v.Attributes.Lock; lock != nil {
		a.TemporaryHold, a.EventBasedHold = lock.LegalHold == objects.HoldOn, lock.EventHold
	}
	if !p.Updated.IsZero() {
		a.Updated = p.Updated
	}
	return &object{a, v}, nil
}

// stored returns the attributes in the form of the store. updated is zero for a new object.
func (a *attributes) stored(updated time.Time) (objects.Attributes, error) {
	h := objects.Headers{
		ContentType: a.ContentType, ContentEncoding: a.ContentEncoding, ContentDisposition: a.ContentDisposition,
		ContentLanguage: a.ContentLanguage, CacheControl: a.CacheControl,
	}
	if a.StorageClass != defaultClass {
		h.StorageClass = a.StorageClass
	}
	stored := objects.Attributes{Headers: unique.Make(h), Metadata: a.Metadata, Lock: a.lock()}
	if p := (properties{a.CustomTime, updated, a.Contexts}); p != (properties{}) {
		extra, err := json.Marshal(p)
		if err != nil {
			return stored, fmt.Errorf("encode the properties of object %q: %w", a.Name, err)
		}
		stored.Extra = string(extra)
	}
	return stored, nil
}

// lock returns the holds in the form of the store; nil for none.
func (a *attributes) lock() *objects.Lock {
	if !a.TemporaryHold && !a.EventBasedHold {
		return nil
	}
	held := &objects.Lock{EventHold: a.EventBasedHold}
	if a.TemporaryHold {
		held.LegalHold = objects.HoldOn
	}
	return held
}

// md5Hex returns the MD5 digest as the XML API's ETag has it.
func (a *attributes) md5Hex() string {
	sum, err := base64.StdEncoding.DecodeString(a.MD5Hash)
	if err != nil {
		return ""
	}
	return hex.EncodeToString(sum)
}

// texts returns the string members that users may set.
func (a *attributes) texts() map[string]*string {
	return map[string]*string{
		"cacheControl": &a.CacheControl, "contentDisposition": &a.ContentDisposition, "contentEncoding": &a.ContentEncoding,
		"contentLanguage": &a.ContentLanguage, "contentType": &a.ContentType, "storageClass": &a.StorageClass,
	}
}

// settable returns a copy of the attributes that users may set, except holds, for another object.
func (a *attributes) settable(bucket, name string) attributes {
	fresh := attributes{Bucket: bucket, Name: name, CustomTime: a.CustomTime, Metadata: maps.Clone(a.Metadata), Contexts: a.Contexts}
	from := a.texts()
	for member, into := range fresh.texts() {
		*into = *from[member]
	}
	return fresh
}

// etag changes when the object or its metadata changes.
func (a *attributes) etag() string {
	return base64.StdEncoding.EncodeToString([]byte(strconv.FormatInt(a.Generation, 36) + "/" + strconv.FormatInt(a.Metageneration, 36)))
}
