package objects

import (
	"strings"
	"time"
)

// Modification is an atomic change of the versions of one key. It is for services whose objects do
// not follow the rules of S3's versions.
type Modification struct {
	// Remove are existing versions of the key.
	Remove []*Version
	// Add are new versions, the latest last. All others must be older.
	Add []NewVersion
	// EndUpload is the ID of an upload of the key that ends, if it exists; empty for none.
	EndUpload string
}

// NewVersion is a version that is not stored yet.
type NewVersion struct {
	Draft

	ID string
	// Modified is the time of the change. Default: now.
	Modified time.Time
}

// Draft returns a draft with the content and the attributes of the version.
func (v *Version) Draft() Draft {
	return Draft{Body: v.Body, ETag: v.ETag, Checksum: v.Checksum, Attributes: v.Attributes, Parts: v.Parts()}
}

// Modify changes the versions of a key. decide receives the versions, latest first, and nothing
// else changes the key meanwhile. The store adds its own references to the bodies of new versions.
// Modify returns the added versions. Errors are decide's, NoSuchBucket and QuotaExceeded.
func (b *Bucket) Modify(key string, decide func(current []*Version) (Modification, error)) ([]*Version, error) {
	var added []*Version
	err := b.change(key, func() error {
		m, err := decide(b.Versions(key))
		if err != nil {
			return err
		}
		added = b.drafted(key, m.Add)
		ended, _ := b.upload(key, m.EndUpload) // nil without one
		return b.exchange(m.Remove, added, ended)
	})
	if err != nil {
		return nil, err
	}
	return added, nil
}

// Versions returns the versions of a key, latest first. Their contents may be read only while the
// key cannot change.
func (b *Bucket) Versions(key string) []*Version {
	b.mu.RLock()
	defer b.mu.RUnlock()
	newest, _ := b.tree.Get(&Version{Key: key})
	var all []*Version
	for v := newest; v != nil; v = v.older {
		all = append(all, v)
	}
	return all
}

func (b *Bucket) drafted(key string, drafts []NewVersion) []*Version {
	all := make([]*Version, 0, len(drafts))
	for _, d := range drafts {
		v := &Version{
			Key: strings.Clone(key), ID: d.ID, Sequence: b.store.next(), modified: d.Modified.UnixNano(),
			Body: d.Body, ETag: d.ETag, Checksum: d.Checksum, Attributes: d.Attributes, completed: newCompletedUpload("", d.Parts),
		}
		if d.Modified.IsZero() {
			v.modified = b.store.now()
		}
		all = append(all, v)
	}
	return all
}

// exchange replaces versions by others, and ends an upload, which may be nil.
func (b *Bucket) exchange(removed, added []*Version, ended *upload) error {
	more := Quota{}.minus(ended.weight())
	steps := b.deletionOfUpload(ended)
	for _, v := range removed {
		more, steps = more.minus(weight(v)), append(steps, b.deletionOfVersion(v))
	}
	for _, v := range added {
		more, steps = more.plus(weight(v)), append(steps, b.recordVersion(v))
	}
	if err := b.reserve(more); err != nil {
		return err
	}
	for _, v := range added {
		v.Body.Retain()
	}
	if err := b.store.commit(steps...); err != nil {
		b.release(more)
		for _, v := range added {
			v.Release()
		}
		return err
	}
	b.relink(removed, added)
	for _, v := range removed {
		v.Release()
	}
	b.drop(ended)
	return nil
}

// relink changes the index atomically.
func (b *Bucket) relink(removed, added []*Version) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, v := range removed {
		b.unlink(v)
	}
	for _, v := range added {
		v.older, _ = b.tree.Get(v)
		b.tree.ReplaceOrInsert(v)
	}
}

// Join returns the contents of several bodies, one after another, without copying.
func Join(bodies ...Body) Body { return join(bodies) }

// AllParts returns the parts of an upload in the order of their numbers; none for an unknown
// upload.
func (b *Bucket) AllParts(key, id string) []Part {
	u, err := b.upload(key, id)
	if err != nil {
		return nil
	}
	return u.sorted()
}
