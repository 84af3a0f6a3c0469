package objects

import (
	"encoding/hex"
	"regexp"
	"strconv"
	"time"
	"unique"

	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
)

// NullVersion is the ID of a version that was stored while the bucket's versioning was off or
// suspended.
const NullVersion = "null"

// IsVersionID reports whether a version can have the ID: NullVersion, a generation, or a random one, of this store or in
// the form of S3's.
func IsVersionID(id string) bool {
	_, err := strconv.ParseUint(id, 10, 64)
	return err == nil || id == NullVersion || randomID.MatchString(id)
}

// randomID matches the IDs of this store, which have 26 characters, and those of S3, which have 32.
var randomID = regexp.MustCompile(`^[\w.]{26,32}$`)

// Headers are the standard headers that an object stores.
type Headers struct {
	CacheControl       string `json:"cacheControl,omitempty"`
	ContentDisposition string `json:"contentDisposition,omitempty"`
	ContentEncoding    string `json:"contentEncoding,omitempty"`
	ContentLanguage    string `json:"contentLanguage,omitempty"`
	ContentType        string `json:"contentType,omitempty"`
	Expires            string `json:"expires,omitempty"`
	// StorageClass is empty for the standard class. Like Encryption, it has no effect.
	StorageClass string `json:"storageClass,omitempty"`
	Encryption   string `json:"encryption,omitempty"`
	// WebsiteRedirect is stored and returned, but has no effect.
	WebsiteRedirect string `json:"websiteRedirect,omitempty"`
}

// Attributes has everything about an object except its content.
type Attributes struct {
	// Headers are shared between objects, because most have the same.
	Headers unique.Handle[Headers]
	// Metadata is the user's metadata: names in lower case, without the prefix x-amz-meta-. It must
	// not be changed.
	Metadata map[string]string
	// Tags must not be changed.
	Tags map[string]string
	// Lock protects the object; nil if it never had a lock. It must not be changed.
	Lock *Lock
	// Extra is the data of another service than S3 about its object, in its own form.
	Extra string
}

// ETag identifies a content: its MD5 digest or, for an upload in parts, the digest of the parts'
// digests, with their number.
type ETag struct {
	Sum   [16]byte
	Parts int32 // 0 if it was not uploaded in parts
}

// String returns the ETag as S3 shows it, without quotes.
func (e ETag) String() string {
	text := hex.EncodeToString(e.Sum[:])
	if e.Parts > 0 {
		text += "-" + strconv.Itoa(int(e.Parts))
	}
	return text
}

// Version is one version of an object, or a delete marker. It is immutable: a change replaces it by
// a copy.
type Version struct {
	Key string
	// ID is NullVersion, or unique among all versions.
	ID string
	// Sequence orders the versions of a key: the latest has the greatest.
	Sequence uint64
	modified int64 // Unix time in nanoseconds
	ETag     ETag
	// IsDeleteMarker means that the object is deleted as of this version.
	IsDeleteMarker bool
	changes        int32 // number of changes by Edit
	Checksum       checksum.Sum
	Body           Body
	Attributes     Attributes
	// completed is nil, without memory for most objects, unless the version has parts.
	completed *completedUpload

	older *Version // guarded by the bucket's lock
}

// completedUpload describes the upload of a version with parts.
type completedUpload struct {
	id    string // empty if the parts come from another service
	parts []PartInfo
}

// newCompletedUpload returns nil without an upload and parts.
func newCompletedUpload(id string, parts []PartInfo) *completedUpload {
	if id == "" && len(parts) == 0 {
		return nil
	}
	return &completedUpload{id, parts}
}

// Parts returns the parts that the version was completed from. They must not be changed.
func (v *Version) Parts() []PartInfo {
	if v.completed == nil {
		return nil
	}
	return v.completed.parts
}

// upload returns the ID of the upload that the version was completed from, or nothing.
func (v *Version) upload() string {
	if v.completed == nil {
		return ""
	}
	return v.completed.id
}

// PartInfo describes a part after its upload is completed.
type PartInfo struct {
	Number   int32        `json:"number"`
	Name     string       `json:"name,omitempty"`
	Size     int64        `json:"size"`
	Checksum checksum.Sum `json:"checksum,omitzero"`
}

// Modified is the creation time of the version, in UTC.
func (v *Version) Modified() time.Time { return time.Unix(0, v.modified).UTC() }

// Size is the size of the content in bytes.
func (v *Version) Size() int64 { return v.Body.Size() }

// Release drops the reference to the content that Bucket.Get added. It does nothing if v is nil.
func (v *Version) Release() {
	if v != nil {
		v.Body.Release()
	}
}

func (a Attributes) headers() Headers {
	if a.Headers == (unique.Handle[Headers]{}) {
		return Headers{}
	}
	return a.Headers.Value()
}

// StandardHeaders returns the standard headers of the version.
func (v *Version) StandardHeaders() Headers { return v.Attributes.headers() }
