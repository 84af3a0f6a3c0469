package objects

// Deletion is what became of a request to delete.
type Deletion struct {
	// VersionID is that of the deleted version, or of the delete marker that
	// has been made; empty in a bucket without versioning.
	VersionID string
	// IsDeleteMarker says that VersionID is, or was, a delete marker.
	IsDeleteMarker bool
}

// Delete deletes an object, which in a bucket with versioning means to put a
// delete marker on it; or, with an ID, that version of it for good. What is not
// there is no error. Errors are PreconditionFailed, and NoSuchKey if the conditions
// ask for one that is not there.
func (b *Bucket) Delete(key, id string, c Conditions) (Deletion, error) {
	var done Deletion
	err := b.change(key, func() (err error) {
		if c != (Conditions{}) {
			if err := c.write(b.find(key, id)); err != nil {
				return err
			}
		}
		if id != "" {
			done, err = b.deleteVersion(key, id)
		} else {
			done, err = b.deleteNewest(key)
		}
		return err
	})
	return done, err
}

func (b *Bucket) deleteVersion(key, id string) (Deletion, error) {
	v := b.find(key, id)
	if v == nil {
		return Deletion{VersionID: id}, nil
	}
	return Deletion{VersionID: id, IsDeleteMarker: v.IsDeleteMarker}, b.discard(v)
}

func (b *Bucket) deleteNewest(key string) (Deletion, error) {
	if b.Versioning() == Unversioned {
		v := b.head(key)
		if v == nil {
			return Deletion{}, nil
		}
		return Deletion{}, b.discard(v)
	}
	marker, err := b.newVersion(key)
	if err != nil {
		return Deletion{}, err
	}
	marker.IsDeleteMarker = true
	return Deletion{VersionID: marker.ID, IsDeleteMarker: true}, b.add(marker, b.head(key), nil)
}

func (b *Bucket) discard(v *Version) error {
	if err := b.store.commit(b.deletionOfVersion(v)); err != nil {
		return err
	}
	b.remove(v)
	b.release(weight(v))
	v.Release()
	return nil
}
