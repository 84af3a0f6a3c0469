package objects

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
)

const imageBatch = 256

// Image has the contents of all buckets at one moment. It has references to the contents, which
// Release drops.
type Image struct{ buckets []bucketImage }

type bucketImage struct {
	id       string
	config   Config
	versions []*Version
	uploads  []uploadImage
	endings  []*Ending
}

type uploadImage struct {
	Upload

	parts []Part
}

// Freeze waits for the running changes of all buckets, and returns their contents. Later changes
// wait until thaw is called; reads continue. No bucket may be created or deleted until then.
func (s *Store) Freeze() (image *Image, thaw func()) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	image = &Image{}
	for _, b := range s.buckets {
		b.gate.Lock()
		image.buckets = append(image.buckets, b.image())
	}
	frozen := make([]*Bucket, 0, len(s.buckets))
	for _, b := range s.buckets {
		frozen = append(frozen, b)
	}
	return image, func() {
		for _, b := range frozen {
			b.gate.Unlock()
		}
	}
}

// image returns the contents with references of their own. The caller holds the gate.
func (b *Bucket) image() bucketImage {
	b.mu.RLock()
	defer b.mu.RUnlock()
	image := bucketImage{id: b.id, config: b.config, endings: slices.Clone(b.endings)}
	for v := range b.versions {
		v.Body.Retain()
		image.versions = append(image.versions, v)
	}
	for _, u := range b.uploads {
		parts := u.sorted()
		for _, part := range parts {
			part.Body.Retain()
		}
		image.uploads = append(image.uploads, uploadImage{u.Upload, parts})
	}
	return image
}

// Size returns the number of the versions, and of their bytes.
func (i *Image) Size() (versions int, bytes int64) {
	for _, b := range i.buckets {
		versions += len(b.versions)
		for _, v := range b.versions {
			bytes += v.Size()
		}
	}
	return versions, bytes
}

// Release drops the references to the contents. It must be called once.
func (i *Image) Release() {
	for _, b := range i.buckets {
		for _, v := range b.versions {
			v.Release()
		}
		for _, u := range b.uploads {
			for _, part := range u.parts {
				part.Body.Release()
			}
		}
	}
	i.buckets = nil
}

// DamageError lists the contents that Image.Write could not copy.
type DamageError struct{ Damaged []Damage }

func (e *DamageError) Error() string {
	lines := make([]string, 0, len(e.Damaged))
	for _, d := range e.Damaged {
		what := fmt.Sprintf("object %q, version %q", d.Key, d.Version)
		if d.Upload != "" {
			what = fmt.Sprintf("upload %q of object %q", d.Upload, d.Key)
		}
		lines = append(lines, fmt.Sprintf("%s in bucket %q: %v", what, d.Bucket, d.Cause))
	}
	return strings.Join(lines, "; ")
}

func (*DamageError) Unwrap() error { return blobstore.ErrDamaged }

// Write stores the image in an empty blob store, in the form of a Store with these contents. The
// error is a DamageError for damaged contents.
func (i *Image) Write(to blobstore.Store) error {
	w := imageWriter{target: &Store{options: Options{Blobs: to}}, copies: map[blobstore.Blob]blobCopy{}}
	for _, image := range i.buckets {
		if err := w.bucket(image); err != nil {
			return fmt.Errorf("copy the contents of the store: %w", err)
		}
	}
	if len(w.damaged) > 0 {
		return &DamageError{w.damaged}
	}
	return nil
}

// imageWriter copies blobs, each once.
type imageWriter struct {
	target  *Store
	copies  map[blobstore.Blob]blobCopy
	damaged []Damage
	failed  error // of copying an undamaged blob
}

type blobCopy struct {
	blob blobstore.Blob
	err  error
}

func (w *imageWriter) bucket(image bucketImage) error {
	b := newBucket(w.target, image.id, image.config)
	steps := []step{b.recordConfig(image.config)}
	for _, v := range image.versions {
		copied := *v
		copied.Body = w.body(v.Body, Damage{Bucket: image.id, Key: v.Key, Version: v.ID})
		steps = append(steps, b.recordVersion(&copied))
	}
	for _, e := range image.endings {
		steps = append(steps, b.recordEnding(e))
	}
	for _, u := range image.uploads {
		upload := &upload{Upload: u.Upload}
		steps = append(steps, b.recordUpload(upload))
		for _, part := range u.parts {
			part.Body = w.body(part.Body, Damage{Bucket: image.id, Key: u.Key, Upload: u.ID})
			steps = append(steps, b.recordPart(upload, part))
		}
	}
	return w.commit(steps)
}

// body returns a copy of a body, and records its damage. The copies are never released, because
// that would delete them.
func (w *imageWriter) body(of Body, d Damage) Body {
	var pieces []piece
	for p := range of.pieces {
		if w.failed != nil {
			return Body{}
		}
		if p.isHole() {
			pieces = append(pieces, p)
			continue
		}
		copied, ok := w.copies[p.blob]
		if !ok {
			copied.blob, copied.err = w.blob(p.blob)
			w.copies[p.blob] = copied
		}
		switch d.Cause = copied.err; {
		case errors.Is(d.Cause, blobstore.ErrDamaged):
			w.damaged = append(w.damaged, d)
			return Body{}
		case d.Cause != nil:
			w.failed = d.Cause
			return Body{}
		}
		pieces = append(pieces, piece{copied.blob, p.offset, p.length})
	}
	return bodyOf(pieces)
}

func (w *imageWriter) blob(from blobstore.Blob) (_ blobstore.Blob, err error) {
	in, err := from.Open(0, from.Size())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out := w.target.options.Blobs.Create()
	defer out.Abort()
	if _, err := out.ReadFrom(in); err != nil {
		return nil, err
	}
	return out.Seal()
}

func (w *imageWriter) commit(steps []step) error {
	if w.failed != nil {
		return w.failed
	}
	for batch := range slices.Chunk(steps, imageBatch) {
		if err := w.target.commit(batch...); err != nil {
			return err
		}
	}
	return nil
}
