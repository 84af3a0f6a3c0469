package gcs

import (
	"crypto/md5" //nolint:gosec // GCS uses MD5
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"maps"
	"strconv"
	"time"
)

// attributes has everything about an object except its content. Stored attributes have
// the names of the JSON API.
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
	MD5Hash            string            `json:"md5Hash"`
	TimeCreated        time.Time         `json:"timeCreated"`
	Updated            time.Time         `json:"updated"`
	CustomTime         *time.Time        `json:"customTime,omitempty"`
	Metadata           map[string]string `json:"metadata,omitempty"`
}

// object is an object at one generation and metageneration. It is immutable: a change
// makes a new one, so readers of the old one are not affected.
type object struct {
	attributes

	content []byte
}

// texts returns the string members that users may set.
func (a *attributes) texts() map[string]*string {
	return map[string]*string{
		"cacheControl": &a.CacheControl, "contentDisposition": &a.ContentDisposition, "contentEncoding": &a.ContentEncoding,
		"contentLanguage": &a.ContentLanguage, "contentType": &a.ContentType, "storageClass": &a.StorageClass,
	}
}

// settable returns a copy of what users may set, for another object.
func (a *attributes) settable(bucket, name string) attributes {
	fresh := attributes{Bucket: bucket, Name: name, CustomTime: a.CustomTime, Metadata: maps.Clone(a.Metadata)}
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

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func crc32cOf(content []byte) string {
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, crc32.Checksum(content, castagnoli)))
}

func md5Of(content []byte) string {
	sum := md5.Sum(content) //nolint:gosec // GCS uses MD5
	return base64.StdEncoding.EncodeToString(sum[:])
}
