package objects

// Deletion is the result of a delete request.
type Deletion struct {
	// VersionID is the ID of the deleted version or of the new delete marker; empty in a
	// bucket without versioning.
	VersionID string
	// IsDeleteMarker means that VersionID is, or was, a delete marker.
	IsDeleteMarker bool
}

// Delete deletes an object. In a bucket with versioning it adds a delete marker; with an ID it
// deletes that version permanently. A missing object is no error, except in a bucket with
// generations: NoSuchKey or NoSuchVersion. Errors are PreconditionFailed, NoSuchKey if a condition
// requires an object that does not exist, and AccessDenied if the version is locked, unless the
// lock is bypassed.
func (b *Bucket) Delete(key, id string, c Conditions, bypass Bypass) (Deletion, error) {
	var done Deletion
	err := b.change(key, func() (err error) {
		if c != (Conditions{}) {
			if err := c.write(b.find(key, id)); err != nil {
				return err
			}
		}
		if _, generations := b.rules(); generations {
			return b.deleteGeneration(key, id, bypass)
		}
		if id != "" {
			done, err = b.deleteVersion(key, id, bypass)
		} else {
			done, err = b.deleteNewest(key)
		}
		return err
	})
	return done, err
}

func (b *Bucket) deleteVersion(key, id string, bypass Bypass) (Deletion, error) {
	v := b.find(key, id)
	if v == nil {
		return Deletion{VersionID: id}, nil
	}
	if err := v.checkDeletion(b.store.options.Now(), bypass); err != nil {
		return Deletion{}, err
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
