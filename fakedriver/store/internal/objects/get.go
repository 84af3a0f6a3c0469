package objects

import "github.com/cosi-emu/cosi-emu/fakedriver/store/internal/s3error"

// Get returns a version, the newest if its ID is empty. Errors are NoSuchKey and
// NoSuchVersion; and for a delete marker, which is returned with the error,
// NoSuchKey, or MethodNotAllowed if it was asked for by its ID.
func (b *Bucket) Get(key, id string) (*Version, error) {
	v := b.find(key, id)
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

// Retag replaces the tags of a version, the newest if its ID is empty; nil
// removes them. It returns the changed version. Errors are those of Get.
func (b *Bucket) Retag(key, id string, tags map[string]string) (*Version, error) {
	var changed *Version
	err := b.change(key, func() error {
		v, err := b.Get(key, id)
		if err != nil {
			changed = v
			return err
		}
		copied := *v
		copied.Attributes.Tags = tags
		if err := b.store.commit(b.recordVersion(&copied)); err != nil {
			return err
		}
		b.substitute(v, &copied)
		changed = &copied
		return nil
	})
	return changed, err
}
