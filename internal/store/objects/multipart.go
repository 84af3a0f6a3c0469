package objects

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
)

// Upload is an unfinished upload in parts.
type Upload struct {
	ID, Key    string
	Initiated  time.Time
	Attributes Attributes
	// Algorithm is the algorithm of the parts' checksums; None if the client selected none.
	Algorithm checksum.Algorithm
	// FullObject means that the object's checksum covers its content, instead of the checksums of
	// the parts.
	FullObject bool
	// Appended means that Append adds the parts, one after another. S3 does not list such an
	// upload.
	Appended bool
}

// StandardHeaders returns the standard headers of the upload's object.
func (u Upload) StandardHeaders() Headers { return u.Attributes.headers() }

// Part is a part of an unfinished upload.
type Part struct {
	Number int
	// Name is the ID of an Azure block, for which the store chooses the number; empty for parts
	// with a number only.
	Name     string
	ETag     ETag
	Checksum checksum.Sum
	Body     Body
	Modified time.Time
}

type upload struct {
	Upload

	mu      sync.Mutex
	parts   map[int]Part
	numbers map[string]int // of the parts with names
	last    int            // the greatest number
	// outcome returns the outcome of an upload whose ending is recorded, and ending is the one that
	// the next commit records. The lock of the key guards them.
	outcome func(*Version) (string, error)
	ending  *Ending
}

// weight returns the part of a quota that the parts use; u may be nil.
func (u *upload) weight() Quota {
	if u == nil {
		return Quota{}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	var bytes int64
	for _, part := range u.parts {
		bytes += part.Body.Size()
	}
	return Quota{Bytes: bytes}
}

func (u *upload) part(number int) (Part, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	part, ok := u.parts[number]
	return part, ok
}

func (u *upload) set(part Part) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.add(part)
}

// add adds a part to an upload that is locked, or not shared yet.
func (u *upload) add(part Part) {
	u.parts[part.Number] = part
	u.last = max(u.last, part.Number)
	if part.Name != "" {
		u.numbers[part.Name] = part.Number
	}
}

// numberOf returns the number of the earlier part with a name, or a new one.
func (u *upload) numberOf(name string) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	if number, ok := u.numbers[name]; ok {
		return number
	}
	return u.last + 1
}

func (u *upload) sorted() []Part {
	u.mu.Lock()
	defer u.mu.Unlock()
	all := make([]Part, 0, len(u.parts))
	for _, number := range slices.Sorted(maps.Keys(u.parts)) {
		all = append(all, u.parts[number])
	}
	return all
}

// BeginUpload starts an upload. It sets Initiated, and an empty ID. If the key has an upload with
// the ID, it returns that.
func (b *Bucket) BeginUpload(draft Upload) (Upload, error) {
	err := b.change(draft.Key, func() (err error) {
		if draft.ID == "" {
			draft.ID, err = b.store.newID()
		} else if existing, missing := b.upload(draft.Key, draft.ID); missing == nil {
			draft = existing.Upload
			return nil
		}
		if err != nil {
			return err
		}
		draft.Initiated = time.Unix(0, b.store.now()).UTC()
		u := &upload{Upload: draft, parts: map[int]Part{}, numbers: map[string]int{}}
		if err := b.store.commit(b.recordUpload(u)); err != nil {
			return err
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.uploads[draft.ID] = u
		return nil
	})
	return draft, err
}

// Upload returns an upload. The error is NoSuchUpload, also for the upload of another key.
func (b *Bucket) Upload(key, id string) (Upload, error) {
	u, err := b.upload(key, id)
	if err != nil {
		return Upload{}, err
	}
	return u.Upload, nil
}

func (b *Bucket) upload(key, id string) (*upload, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	u, ok := b.uploads[id]
	if !ok || u.Key != key {
		return nil, s3error.ErrNoSuchUpload
	}
	return u, nil
}

// PutPart stores a part, and replaces an earlier part with the same name or number. The store adds
// its own references to the body. PutPart sets Modified. Errors are NoSuchUpload and QuotaExceeded.
func (b *Bucket) PutPart(key, id string, part Part) (Part, error) {
	err := b.change(key, func() error {
		u, err := b.upload(key, id)
		if err != nil {
			return err
		}
		part.Modified = time.Unix(0, b.store.now()).UTC()
		if part.Name != "" {
			part.Number = u.numberOf(part.Name)
		}
		before, _ := u.part(part.Number)
		return b.storePart(u, part, before)
	})
	return part, err
}

func (b *Bucket) storePart(u *upload, part, before Part) error {
	more := Quota{Bytes: part.Body.Size() - before.Body.Size()}
	if err := b.reserve(more); err != nil {
		return err
	}
	part.Body.Retain()
	if err := b.store.commit(b.recordPart(u, part)); err != nil {
		b.release(more)
		part.Body.Release()
		return err
	}
	u.set(part)
	before.Body.Release()
	return nil
}

// Parts returns at most limit parts with numbers greater than after, and whether there are more on
// a next page; an empty page has none. The error is NoSuchUpload.
func (b *Bucket) Parts(key, id string, after, limit int) (parts []Part, more bool, err error) {
	u, err := b.upload(key, id)
	if err != nil {
		return nil, false, err
	}
	all := slices.DeleteFunc(u.sorted(), func(p Part) bool { return p.Number <= after })
	if len(all) > limit {
		return all[:limit], limit > 0, nil
	}
	return all, false, nil
}

// AbortUpload deletes an upload and its parts. The error is NoSuchUpload.
func (b *Bucket) AbortUpload(key, id string) error {
	return b.change(key, func() error {
		u, err := b.upload(key, id)
		if err != nil {
			return err
		}
		return b.discardUpload(u)
	})
}

// drop removes an upload, which may be nil, from the index.
func (b *Bucket) drop(u *upload) {
	if u == nil {
		return
	}
	b.mu.Lock()
	delete(b.uploads, u.ID)
	if u.ending != nil {
		b.remember(u.ending)
	}
	b.mu.Unlock()
	for _, part := range u.sorted() {
		part.Body.Release()
	}
}
