package azure

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unique"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/failure"
	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// The types of blobs.
const (
	blockBlob  = "BlockBlob"
	appendBlob = "AppendBlob"
	pageBlob   = "PageBlob"
)

// baseID is the ID of the version that is the blob. Snapshots have their times as IDs.
const baseID = objects.NullVersion

// properties are Azure's properties of a blob, beside headers, metadata and tags.
type properties struct {
	Type    string    `json:"type"`
	Created time.Time `json:"created"`
	// Revision grows with each change, including metadata. It is the ETag.
	Revision int64 `json:"revision"`
	// MD5 is base64; a client may set another one than the content's.
	MD5 string `json:"md5,omitempty"`
	// Blocks is the number of blocks of an append blob, and Sealed means that it takes no more.
	Blocks int  `json:"blocks,omitempty"`
	Sealed bool `json:"sealed,omitempty"`
	// SequenceNumber is for the clients of a page blob.
	SequenceNumber int64 `json:"sequenceNumber,omitempty"`
	// Tier is the access tier that a client has set, at TierChanged; empty if it is inferred.
	Tier        string     `json:"tier,omitempty"`
	TierChanged time.Time  `json:"tierChanged,omitzero"`
	Lease       leaseState `json:"lease,omitzero"`
	Copy        copyState  `json:"copy,omitzero"`
}

type copyState struct {
	ID        string    `json:"id"`
	Source    string    `json:"source"`
	Completed time.Time `json:"completed"`
	Size      int64     `json:"size"`
}

type blob struct {
	*objects.Version
	properties
}

func blobOf(v *objects.Version) (*blob, error) {
	b := &blob{Version: v}
	if err := json.Unmarshal([]byte(v.Attributes.Extra), &b.properties); err != nil {
		return nil, fmt.Errorf("blob %q %w: %w", v.Key, blobstore.ErrDamaged, err)
	}
	return b, nil
}

func (b *blob) etag() string { return `"0x` + strings.ToUpper(strconv.FormatInt(b.Revision, 16)) + `"` }

func (b *blob) isSnapshot() bool { return b.ID != baseID }

// lastModified has whole seconds, as the header.
func (b *blob) lastModified() time.Time { return b.Modified().Truncate(time.Second) }

type draft struct {
	objects.Draft
	properties

	headers  objects.Headers
	modified time.Time // zero means now
}

func (b *blob) draft() draft {
	return draft{Draft: b.Version.Draft(), properties: b.properties, headers: b.StandardHeaders()}
}

// fresh returns a draft of a new blob that replaces another one, which may be nil.
func (s *Service) fresh(kind string, replaced *blob) draft {
	d := draft{properties: properties{Type: kind, Created: s.now()}}
	if replaced != nil {
		d.Created, d.Revision, d.Lease = replaced.Created, replaced.Revision, replaced.Lease
		if kind == blockBlob {
			d.Tier, d.TierChanged = replaced.Tier, replaced.TierChanged
		}
	}
	return d
}

func (s *Service) now() time.Time { return s.options.Now().UTC() }

// touch gives the draft a new ETag. It ends an inactive lease: its holder notices that the blob has
// changed, because the lease cannot be renewed.
func (s *Service) touch(d *draft) {
	const tick = 100 // nanoseconds; ETags are times, like Azure's
	d.Revision = max(d.Revision+1, s.now().UnixNano()/tick)
	d.modified = time.Time{}
	if !d.Lease.isActive(s.now()) {
		d.Lease = leaseState{}
	}
}

func (d draft) stored(id string) (objects.NewVersion, error) {
	extra, err := json.Marshal(d.properties)
	if err != nil {
		return objects.NewVersion{}, fmt.Errorf("encode the properties of a blob: %w", err)
	}
	d.Attributes.Extra, d.Attributes.Headers = string(extra), unique.Make(d.headers)
	return objects.NewVersion{Draft: d.Draft, ID: id, Modified: d.modified}, nil
}

// versions are the blob of a name, which may be nil, and its snapshots.
type versions struct {
	base      *blob
	snapshots []*objects.Version // the newest first
}

func versionsOf(all []*objects.Version) (v versions, err error) {
	if len(all) == 0 {
		return v, nil
	}
	v.snapshots = all[1:]
	v.base, err = blobOf(all[0])
	return v, err
}

// indexOf returns the index of the version that a request concerns: the blob, or a snapshot with an
// ID. Without a blob it is -1.
func indexOf(all []*objects.Version, id string) (int, error) {
	switch {
	case id == "" && len(all) == 0:
		return -1, nil
	case id == "":
		return 0, nil
	case id == baseID:
		return 0, failure.ErrInvalidQuery
	}
	i := slices.IndexFunc(all, func(v *objects.Version) bool { return v.ID == id })
	if i < 0 {
		return 0, failure.ErrNoBlob
	}
	return i, nil
}

// change replaces the blob of a request, or its snapshot, by the draft that decide returns. It ends the
// uncommitted blocks if ends is set.
func (s *Service) change(x *exchange, ends bool, decide func(current *blob) (*draft, error)) (*blob, error) {
	var stored properties
	added, err := x.bucket.Modify(x.target.blob, func(all []*objects.Version) (m objects.Modification, err error) {
		i, err := indexOf(all, x.Query.Get("snapshot"))
		if err != nil {
			return m, err
		}
		var current *blob
		id := baseID
		if i >= 0 {
			if current, err = blobOf(all[i]); err != nil {
				return m, err
			}
			id, m.Remove = current.ID, all[:i+1]
		}
		d, err := decide(current)
		if err != nil {
			return m, err
		}
		made, err := d.stored(id)
		stored, m.Add = d.properties, []objects.NewVersion{made}
		for ; i > 0; i-- { // the newer versions follow the snapshot
			m.Add = append(m.Add, objects.NewVersion{Draft: all[i-1].Draft(), ID: all[i-1].ID, Modified: all[i-1].Modified()})
		}
		if ends {
			m.EndUpload = blocksID(x.target.blob)
		}
		return m, err
	})
	if err != nil {
		return nil, err
	}
	return &blob{added[0], stored}, nil
}

// amend is change for an existing blob, whose conditions and lease are checked.
func (s *Service) amend(x *exchange, decide func(current *blob, d *draft) error) (*blob, error) {
	return s.change(x, false, func(current *blob) (*draft, error) {
		if err := s.checkWrite(x, current); err != nil {
			return nil, err
		}
		if current == nil {
			return nil, failure.ErrNoBlob
		}
		d := current.draft()
		return &d, decide(current, &d)
	})
}

// edit is amend for a blob that is not archived.
func (s *Service) edit(x *exchange, decide func(current *blob, d *draft) error) (*blob, error) {
	return s.amend(x, func(current *blob, d *draft) error {
		if err := current.checkOnline(); err != nil {
			return err
		}
		return decide(current, d)
	})
}

// read returns the blob of a request, or a snapshot of it, with content until the request ends. It
// checks the conditions.
func (s *Service) read(x *exchange) (*blob, error) {
	if x.header("If-None-Match") == "*" {
		return nil, failure.ErrUnsatisfiable
	}
	id := x.Query.Get("snapshot")
	v, err := x.bucket.Get(x.target.blob, id)
	if err != nil {
		return nil, failure.ErrNoBlob
	}
	x.Hold(v.Release)
	if id == baseID {
		return nil, failure.ErrInvalidQuery
	}
	found, err := blobOf(v)
	if err != nil {
		return nil, err
	}
	return found, s.checkRead(x, found)
}
