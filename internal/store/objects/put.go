package objects

import (
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
)

// Draft is an object that is not stored yet.
type Draft struct {
	Body       Body
	ETag       ETag
	Checksum   checksum.Sum
	Attributes Attributes
	Parts      []PartInfo
}

// Put stores a whole object and returns the new version. The store adds its own references to the
// body. Errors are PreconditionFailed, QuotaExceeded, and NoSuchKey if a condition requires an
// object that does not exist.
func (b *Bucket) Put(key string, d Draft, c Conditions) (*Version, error) {
	var stored *Version
	err := b.change(key, func() (err error) {
		stored, err = b.put(key, d, c, nil)
		return err
	})
	return stored, err
}

// put is Put under the key's lock. It ends the upload, if any.
func (b *Bucket) put(key string, d Draft, c Conditions, from *upload) (*Version, error) {
	newest := b.head(key)
	if err := c.write(newest); err != nil {
		return nil, err
	}
	if err := b.checkReplacement(newest); err != nil {
		return nil, err
	}
	v, err := b.newVersion(key)
	if err != nil {
		return nil, err
	}
	v.Body, v.ETag, v.Checksum, v.Attributes = d.Body, d.ETag, d.Checksum, d.Attributes
	v.Attributes.Lock = b.lockOf(d.Attributes.Lock, v.Modified())
	id := ""
	if from != nil {
		id = from.ID
	}
	v.completed = newCompletedUpload(id, d.Parts)
	if from != nil && from.outcome != nil {
		outcome, err := from.outcome(v)
		if err != nil {
			return nil, err
		}
		from.end(outcome, v.modified)
	}
	if err := b.add(v, newest, from); err != nil {
		return nil, err
	}
	return v, nil
}

// newVersion returns a version with an ID according to the bucket's versioning. It copies the key,
// which may be part of a larger string.
func (b *Bucket) newVersion(key string) (*Version, error) {
	v := &Version{Key: strings.Clone(key), ID: NullVersion, Sequence: b.store.next(), modified: b.store.now()}
	versioning, generations := b.rules()
	switch {
	case generations:
		v.ID = generationID(v.Sequence)
	case versioning == Enabled:
		id, err := b.store.newID()
		v.ID = id
		return v, err
	}
	return v, nil
}

func (b *Bucket) rules() (versioning Versioning, generations bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.config.Versioning, b.config.Generations
}

// Versioning returns the state of versioning.
func (b *Bucket) Versioning() Versioning {
	versioning, _ := b.rules()
	return versioning
}

// replacedBy returns the version that v replaces, or nil. newest is the latest one, or nil. A null
// version replaces the previous null version.
func (b *Bucket) replacedBy(v, newest *Version) *Version {
	versioning, generations := b.rules()
	switch {
	case !generations && v.ID == NullVersion:
		return newest.find(NullVersion)
	case generations && versioning != Enabled && newest.isLive():
		return newest
	}
	return nil
}

// add makes v the latest version of its key. newest is the previous one, or nil.
func (b *Bucket) add(v, newest *Version, from *upload) error {
	replaced := b.replacedBy(v, newest)
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
