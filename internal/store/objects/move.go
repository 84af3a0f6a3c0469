package objects

import "github.com/cosi-emu/cosi-emu/internal/s3error"

// Move gives the latest version of a key in a bucket with generations another key, as a new version,
// in one commit. draft receives the version, and returns the new one. Errors are NoSuchKey,
// PreconditionFailed, ObjectUnderActiveHold, and the error of draft.
func (b *Bucket) Move(from, to string, source, target Conditions, draft func(*Version) (Draft, error)) (*Version, error) {
	b.gate.Lock() // of two keys, which might have the same lock
	defer b.gate.Unlock()
	if b.retired {
		return nil, s3error.ErrNoSuchBucket
	}
	v, newest := b.head(from), b.head(to)
	if err := checkMove(v, newest, source, target); err != nil {
		return nil, err
	}
	d, err := draft(v)
	if err != nil {
		return nil, err
	}
	moved, err := b.newVersion(to)
	if err != nil {
		return nil, err
	}
	moved.Body, moved.ETag, moved.Checksum, moved.Attributes = d.Body, d.ETag, d.Checksum, d.Attributes
	removed, added, err := b.departure(v)
	if err != nil {
		return nil, err
	}
	if replaced := b.replacedBy(moved, newest); replaced != nil {
		removed = append(removed, replaced)
	}
	if err := b.exchange(removed, append(added, moved), nil); err != nil {
		return nil, err
	}
	return moved, nil
}

// checkMove checks the version that moves, and the one that it replaces, which may be nil.
func checkMove(v, newest *Version, source, target Conditions) error {
	if err := source.write(v); err != nil {
		return err
	}
	if !v.isLive() {
		return s3error.ErrNoSuchKey
	}
	if err := target.write(newest); err != nil {
		return err
	}
	if err := v.Held(); err != nil {
		return err
	}
	return newest.Held()
}

// departure returns the changes that make the latest version of a key noncurrent, or without
// versioning delete it.
func (b *Bucket) departure(v *Version) (removed, added []*Version, err error) {
	switch {
	case b.Versioning() == Enabled:
		marker, err := b.newVersion(v.Key)
		if err != nil {
			return nil, nil, err
		}
		marker.IsDeleteMarker = true
		return nil, []*Version{marker}, nil
	case v.older != nil:
		return []*Version{v}, []*Version{tombstone(v)}, nil
	default:
		return []*Version{v}, nil, nil
	}
}
