package objects

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
)

// Damage is content that was damaged when the store was opened.
type Damage struct {
	// Bucket is the ID of the bucket.
	Bucket, Key string
	// Version is the ID of the version, or empty for a part of an unfinished upload.
	Version string
	// Upload is the ID of the upload with the part; empty for a version.
	Upload string
	// Cause names the file.
	Cause error
}

// Damaged returns the damaged contents that have not been deleted since. The rest of the store is
// not affected.
func (s *Store) Damaged() []Damage {
	var all []Damage
	for _, d := range s.damaged {
		if b, err := s.Bucket(d.Bucket); err == nil && b.has(d) {
			all = append(all, d)
		}
	}
	return all
}

// has reports whether the version or part still has the content.
func (b *Bucket) has(d Damage) bool {
	if d.Upload != "" {
		return slices.ContainsFunc(b.AllParts(d.Key, d.Upload), func(p Part) bool { return p.Body.damage() != nil })
	}
	v := b.find(d.Key, d.Version)
	return v != nil && v.Body.damage() != nil
}

// noteDamage is called while the store is loaded.
func (s *Store) noteDamage(d Damage, content Body) {
	if d.Cause = content.damage(); d.Cause != nil {
		s.damaged = append(s.damaged, d)
	}
}

// Open returns a reader of a range of the content, which must be valid. The caller closes it. The
// error for damaged content is an InternalError that names the object.
func (v *Version) Open(offset, length int64) (io.ReadCloser, error) {
	r := &bodyReader{body: v.Body.Slice(offset, length)}
	if err := v.CheckDamage(r.body); err != nil {
		return nil, err
	}
	if err := r.advance(); err != nil && !errors.Is(err, io.EOF) {
		return nil, v.explain(err)
	}
	return r, nil
}

// CheckDamage returns the error of Open for a part of the content, if the damage is known without
// reading.
func (v *Version) CheckDamage(part Body) error { return v.explain(part.damage()) }

// explain adds information for the client to an error of reading the content. The file is for the
// log.
func (v *Version) explain(err error) error {
	if !errors.Is(err, blobstore.ErrDamaged) {
		return err
	}
	return fmt.Errorf("%w: %w", s3error.ErrInternalError.With("The content of the object "+strconv.Quote(v.Key)+", version "+
		strconv.Quote(v.ID)+", is damaged on the disk of the store. The log of the store names the file. Write or delete the object."), err)
}
