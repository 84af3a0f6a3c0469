package objects

import "github.com/cosi-emu/cosi-emu/internal/s3error"

// Get returns a version, the latest if the ID is empty. Errors are NoSuchKey and NoSuchVersion. A
// delete marker is returned together with an error: NoSuchKey, or MethodNotAllowed if it was
// requested by its ID.
//
// The content of the version can be read until the caller calls Release, even after the version is
// deleted. A delete marker requires Release, too.
func (b *Bucket) Get(key, id string) (*Version, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	v := b.lookUp(key, id)
	if b.config.Generations && !v.isLive() {
		v = nil // no client sees tombstones
	}
	v, err := found(v, id)
	if v != nil {
		v.Body.Retain()
	}
	return v, err
}

// found returns the result of a lookup that found v, which may be nil.
func found(v *Version, id string) (*Version, error) {
	switch {
	case v == nil && id == "":
		return nil, s3error.ErrNoSuchKey
	case v == nil:
		return nil, s3error.ErrNoSuchVersion
	case v.IsDeleteMarker && id == "":
		return v, s3error.ErrNoSuchKey
	case v.IsDeleteMarker:
		return v, s3error.ErrMethodNotAllowed
	}
	return v, nil
}

// Retag replaces the tags of a version, the latest if the ID is empty; nil removes them. It returns
// the changed version, which needs no Release. It has the errors of Get.
func (b *Bucket) Retag(key, id string, tags map[string]string) (*Version, error) {
	return b.edit(key, id, func(v *Version) error {
		v.Attributes.Tags = tags
		return nil
	})
}

// edit replaces a version, the latest if the ID is empty, by a copy that change has changed.
func (b *Bucket) edit(key, id string, change func(copied *Version) error) (*Version, error) {
	var changed *Version
	err := b.change(key, func() error {
		v, err := found(b.find(key, id), id)
		if err != nil {
			return err
		}
		copied := *v
		if err := change(&copied); err != nil {
			return err
		}
		if err := b.store.commit(b.recordVersion(&copied)); err != nil {
			return err
		}
		b.substitute(v, &copied)
		changed = &copied
		return nil
	})
	return changed, err
}
