package objects

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unique"

	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
)

// The stored forms of buckets, versions and uploads.
type (
	versionRecord struct {
		Key            string           `json:"key"`
		ID             string           `json:"id"`
		Sequence       uint64           `json:"sequence"`
		Modified       int64            `json:"modified"`
		ETag           ETag             `json:"etag"`
		IsDeleteMarker bool             `json:"isDeleteMarker,omitempty"`
		Changes        int32            `json:"changes,omitempty"`
		Checksum       checksum.Sum     `json:"checksum,omitzero"`
		Body           []pieceRecord    `json:"body,omitempty"`
		Attributes     attributesRecord `json:"attributes,omitzero"`
		Parts          []PartInfo       `json:"parts,omitempty"`
		Upload         string           `json:"upload,omitempty"`
	}
	uploadRecord struct {
		Key        string             `json:"key"`
		ID         string             `json:"id"`
		Initiated  time.Time          `json:"initiated"`
		Attributes attributesRecord   `json:"attributes,omitzero"`
		Algorithm  checksum.Algorithm `json:"algorithm,omitempty"`
		FullObject bool               `json:"fullObject,omitempty"`
		Appended   bool               `json:"appended,omitempty"`
		// Ended is zero for an unfinished upload.
		Ended   time.Time `json:"ended,omitzero"`
		Outcome string    `json:"outcome,omitempty"`
	}
	partRecord struct {
		Number   int           `json:"number"`
		Name     string        `json:"name,omitempty"`
		ETag     ETag          `json:"etag"`
		Checksum checksum.Sum  `json:"checksum,omitzero"`
		Body     []pieceRecord `json:"body,omitempty"`
		Modified time.Time     `json:"modified"`
	}
	attributesRecord struct {
		Headers  Headers           `json:"headers,omitzero"`
		Metadata map[string]string `json:"metadata,omitempty"`
		Tags     map[string]string `json:"tags,omitempty"`
		Extra    string            `json:"extra,omitempty"`
		Lock     *Lock             `json:"lock,omitempty"`
	}
	pieceRecord struct {
		Blob   blobstore.BlobID `json:"blob,omitempty"` // missing for a hole
		Offset int64            `json:"offset,omitempty"`
		Length int64            `json:"length"`
	}
)

func (v *Version) record() versionRecord {
	return versionRecord{
		Key: v.Key, ID: v.ID, Sequence: v.Sequence, Modified: v.modified, ETag: v.ETag, IsDeleteMarker: v.IsDeleteMarker, Changes: v.changes,
		Checksum: v.Checksum, Body: v.Body.record(), Attributes: v.Attributes.record(), Parts: v.Parts(), Upload: v.upload(),
	}
}

func (r versionRecord) version(from blobstore.Store) (*Version, error) {
	body, err := bodyFrom(r.Body, from)
	return &Version{
		Key: r.Key, ID: r.ID, Sequence: r.Sequence, modified: r.Modified, ETag: r.ETag, IsDeleteMarker: r.IsDeleteMarker, changes: r.Changes,
		Checksum: r.Checksum, Body: body, Attributes: r.Attributes.attributes(), completed: newCompletedUpload(r.Upload, r.Parts),
	}, err
}

func (u *upload) record() uploadRecord {
	return uploadRecord{
		Key: u.Key, ID: u.ID, Initiated: u.Initiated, Attributes: u.Attributes.record(), Algorithm: u.Algorithm, FullObject: u.FullObject,
		Appended: u.Appended,
	}
}

func (r uploadRecord) upload() *upload {
	return &upload{Upload: Upload{
		Key: r.Key, ID: r.ID, Initiated: r.Initiated, Attributes: r.Attributes.attributes(), Algorithm: r.Algorithm, FullObject: r.FullObject,
		Appended: r.Appended,
	}, parts: map[int]Part{}, numbers: map[string]int{}}
}

func (p Part) record() partRecord {
	return partRecord{Number: p.Number, Name: p.Name, ETag: p.ETag, Checksum: p.Checksum, Body: p.Body.record(), Modified: p.Modified}
}

func (r partRecord) part(from blobstore.Store) (Part, error) {
	body, err := bodyFrom(r.Body, from)
	return Part{Number: r.Number, Name: r.Name, ETag: r.ETag, Checksum: r.Checksum, Body: body, Modified: r.Modified}, err
}

func (a Attributes) record() attributesRecord {
	return attributesRecord{Headers: a.headers(), Metadata: a.Metadata, Tags: a.Tags, Extra: a.Extra, Lock: a.Lock}
}

func (r attributesRecord) attributes() Attributes {
	return Attributes{Headers: unique.Make(r.Headers), Metadata: r.Metadata, Tags: r.Tags, Extra: r.Extra, Lock: r.Lock}
}

func (b Body) record() []pieceRecord {
	var all []pieceRecord
	for p := range b.pieces {
		record := pieceRecord{Offset: p.offset, Length: p.length}
		if !p.isHole() {
			record.Blob = p.blob.ID()
		}
		all = append(all, record)
	}
	return all
}

func bodyFrom(records []pieceRecord, from blobstore.Store) (Body, error) {
	pieces := make([]piece, 0, len(records))
	for _, r := range records {
		if r.Blob == 0 && r.Offset == 0 && r.Length > 0 {
			pieces = append(pieces, piece{length: r.Length})
			continue
		}
		blob, err := from.Blob(r.Blob)
		if err != nil {
			return Body{}, err
		}
		if r.Offset < 0 || r.Length <= 0 || r.Offset+r.Length > blob.Size() {
			return Body{}, fmt.Errorf("blob %d %w: it has %d bytes, and a record refers to %d from %d",
				r.Blob, blobstore.ErrDamaged, blob.Size(), r.Length, r.Offset)
		}
		pieces = append(pieces, piece{blob, r.Offset, r.Length})
	}
	return bodyOf(pieces), nil
}

// MarshalText implements encoding.TextMarshaler.
func (e ETag) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (e *ETag) UnmarshalText(text []byte) error {
	sum, count, _ := strings.Cut(string(text), "-")
	if hex.DecodedLen(len(sum)) != len(e.Sum) {
		return fmt.Errorf("%q is not an ETag", text)
	}
	if _, err := hex.Decode(e.Sum[:], []byte(sum)); err != nil {
		return fmt.Errorf("%q is not an ETag: %w", text, err)
	}
	e.Parts = 0
	if count != "" {
		parts, err := strconv.ParseInt(count, 10, 32)
		if err != nil {
			return fmt.Errorf("%q is not an ETag: %w", text, err)
		}
		e.Parts = int32(parts)
	}
	return nil
}
