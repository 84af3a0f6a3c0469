package objects

import (
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/checksum"
)

// Draft is an object before it is stored.
type Draft struct {
	Body       Body
	ETag       ETag
	Checksum   checksum.Sum
	Attributes Attributes
	Parts      []PartInfo
}

// Put stores an object, all of it at once, and returns the new version; the store
// takes references of its own to the body. Errors are
// PreconditionFailed, NoSuchKey if the conditions ask for one that is not there,
// and QuotaExceeded.
func (b *Bucket) Put(key string, d Draft, c Conditions) (*Version, error) {
	var stored *Version
	err := b.change(key, func() (err error) {
		stored, err = b.put(key, d, c, nil)
		return err
	})
	return stored, err
}

// put is Put under the key's lock. The upload, if there is one, ends with it.
func (b *Bucket) put(key string, d Draft, c Conditions, from *upload) (*Version, error) {
	newest := b.head(key)
	if err := c.write(newest); err != nil {
		return nil, err
	}
	v, err := b.newVersion(key)
	if err != nil {
		return nil, err
	}
	v.Body, v.ETag, v.Checksum, v.Attributes, v.Parts = d.Body, d.ETag, d.Checksum, d.Attributes, d.Parts
	if err := b.add(v, newest, from); err != nil {
		return nil, err
	}
	return v, nil
}

// newVersion returns a version with the ID that the bucket's versioning gives it. It
// keeps no more of the key than that: callers have it as a part of a request.
func (b *Bucket) newVersion(key string) (*Version, error) {
	v := &Version{Key: strings.Clone(key), ID: NullVersion, Sequence: b.store.sequence.Add(1), modified: b.store.now()}
	if b.Versioning() != Enabled {
		return v, nil
	}
	id, err := b.store.newID()
	v.ID = id
	return v, err
}

// Versioning returns the state of versioning.
func (b *Bucket) Versioning() Versioning {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.config.Versioning
}

// add makes v the newest version of its key, instead of newest, which may be nil. A
// null version takes the place of the one before.
func (b *Bucket) add(v, newest *Version, from *upload) error {
	var replaced *Version
	if v.ID == NullVersion {
		replaced = newest.find(NullVersion)
	}
	more := weight(v).minus(weight(replaced)).minus(from.weight())
	if err := b.reserve(more); err != nil {
		return err
	}
	v.Body.Retain()
	if err := b.store.commit(append(b.deletionOfUpload(from), b.recordVersion(v), b.deletionOfVersion(replaced))...); err != nil {
		b.release(more)
		v.Body.Release()
		return err
	}
	b.insert(v, replaced)
	replaced.Release()
	b.drop(from)
	return nil
}
