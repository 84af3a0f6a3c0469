package objects

import (
	"strconv"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

// In a bucket with generations, as in Google Cloud Storage, the ID of a version is a number, its
// generation, with versioning and without. A version that is not the latest never becomes the
// latest again. So a version whose deletion leaves older ones stays as a tombstone, which is a
// delete marker that no client sees. It also keeps the time at which the older version was
// replaced.

func generationID(sequence uint64) string { return strconv.FormatUint(sequence, 10) }

// Generation identifies the version in a bucket with generations.
func (v *Version) Generation() int64 { return int64(v.Sequence) } //nolint:gosec // a time in microseconds

// Metageneration is 1 for a new version, and grows with each Edit.
func (v *Version) Metageneration() int64 { return int64(v.changes) + 1 }

// isLive reports whether v is an object; v may be nil.
func (v *Version) isLive() bool { return v != nil && !v.IsDeleteMarker }

// deleteGeneration deletes a version permanently, or with an empty ID the object: in a bucket with
// versioning the version stays, but is not the latest any more.
func (b *Bucket) deleteGeneration(key, id string, bypass Bypass) error {
	v := b.find(key, id)
	if !v.isLive() {
		_, err := found(nil, id)
		return err
	}
	if err := v.Held(); err != nil && bypass != BypassAll {
		return err
	}
	if id != "" || b.Versioning() != Enabled {
		return b.withdraw(v)
	}
	marker, err := b.newVersion(key)
	if err != nil {
		return err
	}
	marker.IsDeleteMarker = true
	return b.add(marker, v, nil)
}

// withdraw deletes a version. A tombstone stays if there are older versions; otherwise the
// tombstones around it are deleted, too.
func (b *Bucket) withdraw(v *Version) error {
	if v.older != nil {
		return b.entomb(v)
	}
	all := b.Versions(v.Key)
	last := len(all) - 1
	for last > 0 && all[last-1].IsDeleteMarker {
		last--
	}
	return b.exchange(all[last:], nil, nil)
}

func (b *Bucket) entomb(v *Version) error {
	replacement := tombstone(v)
	if err := b.store.commit(b.recordVersion(replacement)); err != nil {
		return err
	}
	b.substitute(v, replacement)
	b.release(weight(v))
	v.Release()
	return nil
}

// tombstone returns a delete marker in place of a version.
func tombstone(v *Version) *Version {
	return &Version{Key: v.Key, ID: v.ID, Sequence: v.Sequence, modified: v.modified, IsDeleteMarker: true}
}

// Edit changes the attributes of a version, the latest if the ID is empty, and counts the change.
// It returns the changed version, which needs no Release. Errors are PreconditionFailed, and the
// errors of Get and change.
func (b *Bucket) Edit(key, id string, c Conditions, change func(*Version) (Attributes, error)) (*Version, error) {
	return b.edit(key, id, func(copied *Version) (err error) {
		if err := c.write(copied); err != nil {
			return err
		}
		copied.Attributes, err = change(copied)
		copied.changes++
		return err
	})
}

// Import stores a version with its original generation and changes. It does nothing if the key has
// a version of that generation, or a later one.
func (b *Bucket) Import(key string, d Draft, generation, metageneration int64, modified time.Time) error {
	return b.change(key, func() error {
		newest := b.head(key)
		if newest != nil && newest.Generation() >= generation {
			return nil
		}
		sequence := uint64(generation)       //nolint:gosec // the caller has checked it
		changes := int32(metageneration - 1) //nolint:gosec // a count
		v := &Version{
			Key: key, ID: generationID(sequence), Sequence: sequence, modified: modified.UnixNano(), changes: changes,
			Body: d.Body, ETag: d.ETag, Checksum: d.Checksum, Attributes: d.Attributes,
		}
		b.store.passed(sequence)
		return b.add(v, newest, nil)
	})
}

// passed makes later numbers greater than one.
func (s *Store) passed(sequence uint64) {
	for last := s.sequence.Load(); last < sequence; last = s.sequence.Load() {
		s.sequence.CompareAndSwap(last, sequence)
	}
}

// IsGone reports whether an error means that an object, version or upload does not exist.
func IsGone(err error) bool {
	found := s3error.From(err)
	return found.Code == s3error.ErrNoSuchKey.Code || found.Code == s3error.ErrNoSuchVersion.Code || found.Code == s3error.ErrNoSuchUpload.Code
}
